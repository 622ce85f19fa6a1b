#include "models/text/dates.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "models/text/utf8.h"
#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;

namespace {

std::vector<std::string> all_forms(const CalendarDate& date) {
  std::vector<std::string> written;
  for (std::string_view form : date_forms()) written.push_back(write_date(date, form));
  return written;
}

int days_in(int year, int month) {
  const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[month - 1];
}

}  // namespace

TEST_CASE("3 March 1998 in every form", "[text]") {
  CHECK(all_forms({1998, 3, 3}) == std::vector<std::string>{"3 March 1998",
                                                            "March 3, 1998",
                                                            "3 Mar 1998",
                                                            "Mar. 3, 1998",
                                                            "3 MAR 1998",
                                                            "03MAR1998",
                                                            "3-Mar-1998",
                                                            "MARCH 3, 1998",
                                                            "Tuesday, 3 March 1998",
                                                            "Tuesday, March 3, 1998",
                                                            "Tue, 03 Mar 1998",
                                                            "Tue Mar 3 1998",
                                                            "3rd of March 1998",
                                                            "March 3rd, 1998",
                                                            "Tuesday the 3rd of March 1998",
                                                            "the third of March, 1998",
                                                            "March the third, 1998",
                                                            "1998 March 3",
                                                            "1998, 3rd March",
                                                            "3.III.1998",
                                                            "3/3/1998",
                                                            "03/03/1998",
                                                            "1998/03/03",
                                                            "1998.03.03",
                                                            "1998-3-3",
                                                            "19980303",
                                                            "1998年3月3日",
                                                            "1998年03月03日",
                                                            "1998 年 3 月 3 日",
                                                            "1998年3月3号",
                                                            "1998年3月3号 星期二",
                                                            "1998年3月3日（周二）",
                                                            "星期二，1998年3月3日",
                                                            "3月3日，1998年",
                                                            "一九九八年三月三日",
                                                            "一九九八年三月三号",
                                                            "三月三日，1998年",
                                                            "公元一九九八年三月三日 星期二"});
}

TEST_CASE("Sunday, 31 December 2000 in every form", "[text]") {
  CHECK(all_forms({2000, 12, 31}) ==
        std::vector<std::string>{"31 December 2000",
                                 "December 31, 2000",
                                 "31 Dec 2000",
                                 "Dec. 31, 2000",
                                 "31 DEC 2000",
                                 "31DEC2000",
                                 "31-Dec-2000",
                                 "DECEMBER 31, 2000",
                                 "Sunday, 31 December 2000",
                                 "Sunday, December 31, 2000",
                                 "Sun, 31 Dec 2000",
                                 "Sun Dec 31 2000",
                                 "31st of December 2000",
                                 "December 31st, 2000",
                                 "Sunday the 31st of December 2000",
                                 "the thirty-first of December, 2000",
                                 "December the thirty-first, 2000",
                                 "2000 December 31",
                                 "2000, 31st December",
                                 "31.XII.2000",
                                 "31/12/2000",
                                 "12/31/2000",
                                 "2000/12/31",
                                 "2000.12.31",
                                 "2000-12-31",
                                 "20001231",
                                 "2000年12月31日",
                                 "2000年12月31日",
                                 "2000 年 12 月 31 日",
                                 "2000年12月31号",
                                 "2000年12月31号 星期日",
                                 "2000年12月31日（周日）",
                                 "星期日，2000年12月31日",
                                 "12月31日，2000年",
                                 "二〇〇〇年十二月三十一日",
                                 "二零零零年十二月三十一号",
                                 "十二月三十一日，2000年",
                                 "公元二〇〇〇年十二月三十一日 星期日"});
}

TEST_CASE("numbers of days in words", "[text]") {
  const auto day = [](int d, std::string_view form) { return write_date({2001, 1, d}, form); };
  std::string numbers, chinese, words;
  for (int d = 1; d <= 31; ++d) {
    numbers += day(d, "{3rd} ");
    chinese += day(d, "{三日} ");
    words += day(d, "{third} ");
  }
  CHECK(numbers ==
        "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th 13th 14th 15th 16th 17th 18th 19th "
        "20th 21st 22nd 23rd 24th 25th 26th 27th 28th 29th 30th 31st ");
  CHECK(chinese ==
        "一 二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十 二十一 "
        "二十二 二十三 二十四 二十五 二十六 二十七 二十八 二十九 三十 三十一 ");
  CHECK(words ==
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
        "twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth "
        "twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first ");
}

TEST_CASE("May has no full stop, and September is Sep.", "[text]") {
  CHECK(write_date({1901, 5, 9}, "{Mon.} {d}, {y}") == "May 9, 1901");
  CHECK(write_date({1901, 9, 9}, "{Mon.} {d}, {y}") == "Sep. 9, 1901");
}

TEST_CASE("weekdays are those of the calendar", "[text]") {
  const auto weekday = [](int y, int m, int d) { return write_date({y, m, d}, "{Weekday}"); };
  CHECK(weekday(1900, 1, 1) == "Monday");
  CHECK(weekday(1969, 7, 20) == "Sunday");
  CHECK(weekday(2000, 2, 29) == "Tuesday");
  CHECK(weekday(2024, 2, 29) == "Thursday");
  CHECK(weekday(2099, 12, 31) == "Thursday");
}

TEST_CASE("days that do not exist are refused", "[text]") {
  CHECK(iso_date({1900, 1, 1}) == "1900-01-01");
  CHECK(iso_date({2000, 2, 29}) == "2000-02-29");
  for (const CalendarDate& bad :
       {CalendarDate{1900, 2, 29}, CalendarDate{2001, 2, 29}, CalendarDate{2001, 4, 31},
        CalendarDate{2001, 13, 1}, CalendarDate{2001, 0, 1}, CalendarDate{2001, 1, 0},
        CalendarDate{2001, 1, 32}, CalendarDate{1899, 12, 31}, CalendarDate{2100, 1, 1},
        CalendarDate{2001, -1, 1}, CalendarDate{2001, 257, 1}}) {
    CHECK_THROWS_AS(iso_date(bad), Error);
    CHECK_THROWS_AS(write_date(bad, "{y}"), Error);
  }
  CHECK_THROWS_WITH(write_date({2001, 1, 1}, "{yy}"), "write_date: unknown field: {yy}");
  CHECK_THROWS_AS(write_date({2001, 1, 1}, "{y"), Error);
  CHECK(write_date({2001, 1, 1}, "").empty());
}

TEST_CASE("no way of writing means two dates", "[text]") {
  CHECK(date_forms().size() >= 24);
  CHECK(std::set<std::string_view>(date_forms().begin(), date_forms().end()).size() ==
        date_forms().size());
  CHECK_FALSE(is_unambiguous({1998, 3, 3}, "{d}/{m}/{y}"));
  CHECK_FALSE(is_unambiguous({1998, 1, 12}, "{mm}/{dd}/{y}"));
  CHECK(is_unambiguous({1998, 1, 13}, "{mm}/{dd}/{y}"));
  CHECK(is_unambiguous({1998, 3, 3}, "{y}/{mm}/{dd}"));
  // Every form holds all four digits of the year, so years cannot be confused with each other.
  std::unordered_map<std::string, CalendarDate> meaning;
  for (int year : {1900, 1911, 1998, 2000, 2012}) {
    for (int month = 1; month <= 12; ++month) {
      for (int day = 1; day <= days_in(year, month); ++day) {
        const CalendarDate date{year, month, day};
        for (std::string_view form : date_forms()) {
          if (!is_unambiguous(date, form)) continue;
          const auto [found, is_new] = meaning.emplace(write_date(date, form), date);
          INFO(found->first);
          REQUIRE(found->second == date);
        }
      }
    }
  }
}

TEST_CASE("calendar dates of valid and test are in training in no form", "[text]") {
  const DateSets sets = make_dates(20000, 500, 2000, 1);
  CHECK(sets.train.size() == 20000);
  CHECK(sets.valid.size() == 500);
  CHECK(sets.test.size() == 2000);
  std::map<std::string, int> part_of;
  int part = 0;
  for (const auto* some : {&sets.train, &sets.valid, &sets.test}) {
    std::set<std::string> here;
    for (const Pair& pair : *some) {
      const int year = std::stoi(pair.target.substr(0, 4));
      const int month = std::stoi(pair.target.substr(5, 2));
      const int day = std::stoi(pair.target.substr(8, 2));
      REQUIRE(pair.target.size() == 10);
      REQUIRE((year >= 1900 && year <= 2099 && month >= 1 && month <= 12));
      REQUIRE((day >= 1 && day <= days_in(year, month)));
      REQUIRE(repair_utf8(pair.source).replaced == 0);
      REQUIRE(part_of.emplace(pair.target, part).first->second == part);
      here.insert(pair.target);
    }
    CHECK(here.size() == some->size());  // distinct, as long as there are enough days
    ++part;
  }
}

TEST_CASE("every form is drawn about as often as any other", "[text]") {
  std::map<std::string_view, int> seen;
  for (const Pair& pair : make_dates(0, 0, 20000, 5).test) {
    const CalendarDate date{std::stoi(pair.target.substr(0, 4)),
                            std::stoi(pair.target.substr(5, 2)),
                            std::stoi(pair.target.substr(8, 2))};
    int found = 0;
    for (std::string_view form : date_forms()) {
      if (!is_unambiguous(date, form) || write_date(date, form) != pair.source) continue;
      if (found++ == 0) ++seen[form];  // two forms may agree: 2000年12月31日
    }
    REQUIRE(found > 0);
  }
  CHECK(seen.size() == date_forms().size());
  for (const auto& [form, count] : seen) {
    INFO(form);
    CHECK(count > 200);  // 526 on average, 310 for the two that need a day past the twelfth
    CHECK(count < 900);
  }
}

TEST_CASE("sets of dates are the same for the same seed, on every machine", "[text]") {
  CHECK(make_dates(50, 5, 5, 8).train == make_dates(50, 5, 5, 8).train);
  CHECK(make_dates(50, 5, 5, 8).train != make_dates(50, 5, 5, 9).train);
  CHECK(make_dates(50, 5, 5, 8).test == make_dates(9, 5, 5, 8).test);
  const DateSets sets = make_dates(2, 1, 1, 1);
  CHECK(sets.test == std::vector<Pair>{{"1989-5-15", "1989-05-15"}});
  CHECK(sets.valid == std::vector<Pair>{{"4 Nov 2058", "2058-11-04"}});
  CHECK(sets.train == std::vector<Pair>{{"24th of November 2016", "2016-11-24"},
                                        {"2079年4月9日（周日）", "2079-04-09"}});
}

TEST_CASE("more training dates than days start over", "[text]") {
  // 200 years with 49 leap days (1900 has none) are 73,049 days.
  const DateSets sets = make_dates(5, 1, 73046, 3);  // two days are left for training
  std::map<std::string, int> seen;
  for (const Pair& pair : sets.train) ++seen[pair.target];
  REQUIRE(seen.size() == 2);
  CHECK(seen.begin()->second + seen.rbegin()->second == 5);
  CHECK(std::abs(seen.begin()->second - seen.rbegin()->second) == 1);
  CHECK(make_dates(0, 0, 0, 1).train.empty());
  CHECK_THROWS_AS(make_dates(1, 0, 73049, 1), Error);
  CHECK_THROWS_AS(make_dates(1, 40000, 40000, 1), Error);
  CHECK_THROWS_AS(make_dates(-1, 0, 0, 1), Error);
  CHECK_THROWS_AS(make_dates(1, -1, 0, 1), Error);
  CHECK_THROWS_AS(make_dates(1, 0, std::numeric_limits<int64_t>::max(), 1), Error);
}
