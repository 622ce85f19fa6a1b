#include "models/text/dates.h"

#include <chrono>

#include "models/text/draws.h"
#include "tensor/error.h"

namespace glass {
namespace {

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};
constexpr std::string_view kOrdinals[] = {
    "first",     "second",    "third",       "fourth",     "fifth",      "sixth",      "seventh",
    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",    "thirteenth", "fourteenth",
    "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"};
constexpr std::string_view kRoman[] = {"I",   "II",   "III", "IV", "V",  "VI",
                                       "VII", "VIII", "IX",  "X",  "XI", "XII"};
constexpr std::string_view kDigits[] = {"〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"};

std::chrono::year_month_day ymd(const CalendarDate& date) {
  return {std::chrono::year(date.year), std::chrono::month(static_cast<unsigned>(date.month)),
          std::chrono::day(static_cast<unsigned>(date.day))};
}

void check(const CalendarDate& date) {
  const bool in_range = date.year >= kFirstYear && date.year <= kLastYear && date.month >= 1 &&
                        date.month <= 12 && date.day >= 1 && date.day <= 31;
  if (!in_range || !ymd(date).ok()) {
    fail("dates", "no such day from 1900 to 2099", date.year, '-', date.month, '-', date.day);
  }
}

std::string padded(int number) {
  std::string digits = std::to_string(number);
  return number < 10 ? std::string(1, '0').append(digits) : digits;
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

std::string ordinal_word(int n) {
  if (n <= 20) return std::string(kOrdinals[n - 1]);
  if (n == 30) return "thirtieth";
  return (n < 30 ? "twenty-" : "thirty-") + std::string(kOrdinals[n % 10 - 1]);
}

std::string ordinal_number(int n) {
  const bool teen = n >= 11 && n <= 13;
  const char* end = teen          ? "th"
                    : n % 10 == 1 ? "st"
                    : n % 10 == 2 ? "nd"
                    : n % 10 == 3 ? "rd"
                                  : "th";
  return std::to_string(n) + end;
}

// 1 … 31 as 一, 十, 十一, 二十, 三十一.
std::string chinese_number(int n) {
  std::string out;
  if (n >= 20) out += kDigits[n / 10];
  if (n >= 10) out += "十";
  if (n % 10 != 0) out += kDigits[n % 10];
  return out;
}

std::string chinese_year(int year, std::string_view zero) {
  std::string out;
  for (char digit : std::to_string(year)) out += digit == '0' ? zero : kDigits[digit - '0'];
  return out;
}

std::string field(const CalendarDate& date, std::string_view name) {
  const std::string month(kMonths[date.month - 1]);
  const unsigned weekday_number =
      std::chrono::weekday(std::chrono::sys_days(ymd(date))).c_encoding();  // 0 is Sunday
  const std::string weekday(kWeekdays[weekday_number]);
  if (name == "y") return std::to_string(date.year);
  if (name == "m") return std::to_string(date.month);
  if (name == "mm") return padded(date.month);
  if (name == "d") return std::to_string(date.day);
  if (name == "dd") return padded(date.day);
  if (name == "3rd") return ordinal_number(date.day);
  if (name == "third") return ordinal_word(date.day);
  if (name == "Month") return month;
  if (name == "MONTH") return upper(month);
  if (name == "Mon") return month.substr(0, 3);
  if (name == "Mon.") return month.size() > 3 ? month.substr(0, 3) + "." : month;
  if (name == "MON") return upper(month.substr(0, 3));
  if (name == "III") return std::string(kRoman[date.month - 1]);
  if (name == "Weekday") return weekday;
  if (name == "Wday") return weekday.substr(0, 3);
  if (name == "〇年") return chinese_year(date.year, "〇");
  if (name == "零年") return chinese_year(date.year, "零");
  if (name == "三月") return chinese_number(date.month);
  if (name == "三日") return chinese_number(date.day);
  if (name == "二") {
    return weekday_number == 0 ? "日" : std::string(kDigits[weekday_number]);
  }
  fail("write_date", "unknown field", '{', name, '}');
}

CalendarDate date_of(int64_t day_number) {  // days after 1 January of kFirstYear
  using namespace std::chrono;
  const year_month_day day{sys_days(ymd({kFirstYear, 1, 1})) + days(day_number)};
  return {int(day.year()), static_cast<int>(unsigned(day.month())),
          static_cast<int>(unsigned(day.day()))};
}

int64_t day_count() {
  return (std::chrono::sys_days(ymd({kLastYear + 1, 1, 1})) -
          std::chrono::sys_days(ymd({kFirstYear, 1, 1})))
      .count();
}

Pair written(const CalendarDate& date, std::mt19937_64& random) {
  const std::vector<std::string_view>& forms = date_forms();
  std::string_view form;
  do form = forms[draw_below(random, forms.size())];
  while (!is_unambiguous(date, form));
  return {write_date(date, form), iso_date(date)};
}

}  // namespace

std::string iso_date(const CalendarDate& date) {
  check(date);
  return std::to_string(date.year) + '-' + padded(date.month) + '-' + padded(date.day);
}

const std::vector<std::string_view>& date_forms() {
  static const std::vector<std::string_view> forms = {
      "{d} {Month} {y}",
      "{Month} {d}, {y}",
      "{d} {Mon} {y}",
      "{Mon.} {d}, {y}",
      "{d} {MON} {y}",
      "{dd}{MON}{y}",
      "{d}-{Mon}-{y}",
      "{MONTH} {d}, {y}",
      "{Weekday}, {d} {Month} {y}",
      "{Weekday}, {Month} {d}, {y}",
      "{Wday}, {dd} {Mon} {y}",
      "{Wday} {Mon} {d} {y}",
      "{3rd} of {Month} {y}",
      "{Month} {3rd}, {y}",
      "{Weekday} the {3rd} of {Month} {y}",
      "the {third} of {Month}, {y}",
      "{Month} the {third}, {y}",
      "{y} {Month} {d}",
      "{y}, {3rd} {Month}",
      "{d}.{III}.{y}",
      "{d}/{m}/{y}",
      "{mm}/{dd}/{y}",
      "{y}/{mm}/{dd}",
      "{y}.{mm}.{dd}",
      "{y}-{m}-{d}",
      "{y}{mm}{dd}",
      "{y}年{m}月{d}日",
      "{y}年{mm}月{dd}日",
      "{y} 年 {m} 月 {d} 日",
      "{y}年{m}月{d}号",
      "{y}年{m}月{d}号 星期{二}",
      "{y}年{m}月{d}日（周{二}）",
      "星期{二}，{y}年{m}月{d}日",
      "{m}月{d}日，{y}年",
      "{〇年}年{三月}月{三日}日",
      "{零年}年{三月}月{三日}号",
      "{三月}月{三日}日，{y}年",
      "公元{〇年}年{三月}月{三日}日 星期{二}",
  };
  return forms;
}

bool is_unambiguous(const CalendarDate& date, std::string_view form) {
  return date.day > 12 || (form != "{d}/{m}/{y}" && form != "{mm}/{dd}/{y}");
}

std::string write_date(const CalendarDate& date, std::string_view form) {
  check(date);
  std::string out;
  while (!form.empty()) {
    const size_t open = form.find('{');
    out += form.substr(0, open);
    if (open == std::string_view::npos) break;
    const size_t close = form.find('}', open);
    if (close == std::string_view::npos) fail("write_date", "field is not closed", form);
    out += field(date, form.substr(open + 1, close - open - 1));
    form.remove_prefix(close + 1);
  }
  return out;
}

DateSets make_dates(int64_t train, int64_t valid, int64_t test, uint64_t seed) {
  const int64_t days = day_count();
  if (train < 0 || valid < 0 || test < 0) {
    fail("make_dates", "numbers must be at least 0", train, ", ", valid, ", ", test);
  }
  if (valid > days || test > days || valid + test >= days) {
    fail("make_dates", "valid and test leave no date to train on", valid, " and ", test, " of ",
         days);
  }
  std::mt19937_64 random(mix64(seed));
  std::vector<int64_t> order;
  for (int64_t day = 0; day < days; ++day) order.push_back(day);
  shuffle(order, random);
  const auto write = [&](int64_t place) {
    return written(date_of(order[static_cast<size_t>(place)]), random);
  };
  DateSets sets;
  for (int64_t i = 0; i < test; ++i) sets.test.push_back(write(i));
  for (int64_t i = 0; i < valid; ++i) sets.valid.push_back(write(test + i));
  const int64_t held_out = test + valid;
  for (int64_t i = 0; i < train; ++i) {
    sets.train.push_back(write(held_out + i % (days - held_out)));
  }
  return sets;
}

}  // namespace glass
