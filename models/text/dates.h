#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/text/pairs.h"

namespace glass {

// The task `dates`: calendar dates as people write them, in English and Chinese, to be written as
// ISO 8601 ("Tuesday, 3 March 1998" -> "1998-03-03"). Ways of writing that could mean two dates are
// left out: two-digit years, and day and month as numbers in either order unless the day is past
// the twelfth.

inline constexpr int kFirstYear = 1900, kLastYear = 2099;

struct CalendarDate {
  int year = 0, month = 0, day = 0;
  auto operator<=>(const CalendarDate&) const = default;
};

/// "YYYY-MM-DD". Throws for a day that the calendar does not have or a year out of range.
std::string iso_date(const CalendarDate& date);

/// The ways of writing, as patterns with {fields}: "{Weekday}, {d} {Month} {y}".
const std::vector<std::string_view>& date_forms();

/// Is the date, written so, the only one it can mean?
bool is_unambiguous(const CalendarDate& date, std::string_view form);

/// Throws for a pattern with an unknown field, and as iso_date().
std::string write_date(const CalendarDate& date, std::string_view form);

struct DateSets {
  std::vector<Pair> train, valid, test;
};

/// Dates in forms drawn at random. No calendar date of valid or test occurs in another part, in any
/// form; training draws from all the others, each of them at most once more often than any other.
/// The same on every machine for the same arguments. Throws for a negative number and when valid
/// and test leave no date to train on.
DateSets make_dates(int64_t train = 20000, int64_t valid = 500, int64_t test = 2000,
                    uint64_t seed = 1);

}  // namespace glass
