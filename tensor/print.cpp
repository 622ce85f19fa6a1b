// How a tensor is written: the rules of NumPy's array2string with precision 4.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace glass {
namespace {

constexpr int kPrecision = 4;
constexpr int64_t kThreshold = 1000;  // more elements than this: only the ends of each axis
constexpr int64_t kEdge = 3;
constexpr size_t kLineWidth = 75;

// The elements that are shown, as text of one width, in row-major order.
using Texts = std::vector<std::string>;

std::string pad_left(std::string word, size_t width) {
  if (word.size() < width) word.insert(0, width - word.size(), ' ');
  return word;
}

std::string digits(double x, std::chars_format format) {
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, format, kPrecision).ptr;
  return {buffer, end};
}

// Splits 1.2500 into 1 and 25, and 1.2500e+10 into 1, 25 and e+10: zeros at the end say nothing.
struct Parts {
  std::string whole, fraction, exponent;
};

Parts split(const std::string& number) {
  const size_t point = number.find('.'), e = std::min(number.find('e'), number.size());
  Parts parts{number.substr(0, point), number.substr(point + 1, e - point - 1), number.substr(e)};
  while (!parts.fraction.empty() && parts.fraction.back() == '0') parts.fraction.pop_back();
  return parts;
}

// Plain digits unless they would hide something: very large, very small, or both in one tensor.
bool needs_exponent(const std::vector<double>& values) {
  double largest = 0, smallest = 0;
  for (double x : values) {
    const double size = std::abs(x);
    if (size == 0 || !std::isfinite(size)) continue;
    largest = std::max(largest, size);
    smallest = smallest == 0 ? size : std::min(smallest, size);
  }
  if (smallest == 0) return false;
  return largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000;
}

Texts float_words(const std::vector<double>& values) {
  const bool exponent = needs_exponent(values);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  std::vector<Parts> parts;
  size_t whole = 0, fraction = 0, tail = 0;
  for (double x : values) {
    if (!std::isfinite(x)) {
      parts.push_back({std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf", "", ""});
      continue;
    }
    parts.push_back(split(digits(x, format)));
    whole = std::max(whole, parts.back().whole.size());
    fraction = std::max(fraction, parts.back().fraction.size());
    tail = std::max(tail, parts.back().exponent.size());
  }
  // nan and inf stand at the right end; they widen the column only when nothing else is as wide.
  size_t width = whole + 1 + fraction + tail;
  for (size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) width = std::max(width, parts[i].whole.size());
  Texts words;
  for (size_t i = 0; i < values.size(); ++i) {
    Parts& p = parts[i];
    std::string word = p.whole;
    if (std::isfinite(values[i])) {
      p.fraction.append(fraction - p.fraction.size(), exponent ? '0' : ' ');
      word += "." + p.fraction + p.exponent;
    }
    words.push_back(pad_left(std::move(word), width));
  }
  return words;
}

// The positions shown on an axis of n elements; -1 stands for the dots.
std::vector<int64_t> shown_positions(int64_t n, bool shorten) {
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < n; ++i) {
    if (shorten && n > 2 * kEdge && i == kEdge) {
      positions.push_back(-1);
      i = n - kEdge;
    }
    positions.push_back(i);
  }
  return positions;
}

class Printer {
 public:
  explicit Printer(const Tensor& x) : x_(x), shorten_(x.numel() > kThreshold) {
    visit(x.dtype(), [&]<class T>(T) { words_ = words<T>(); });
  }
  std::string print() { return x_.ndim() == 0 ? words_.at(0) : axis(0, kLineWidth); }

 private:
  template <class T, class F>
  void each_shown(int dim, const T* data, const F& f) const {
    if (dim == x_.ndim()) return f(*data);
    for (int64_t i : shown_positions(x_.shape()[dim], shorten_))
      if (i >= 0) each_shown(dim + 1, data + i * x_.strides()[dim], f);
  }

  template <class T>
  Texts words() const {
    Texts words;
    if constexpr (std::is_floating_point_v<T>) {
      std::vector<double> values;
      each_shown(0, x_.data<T>(), [&](T x) { values.push_back(x); });
      return float_words(values);
    } else if constexpr (std::is_same_v<T, bool>) {
      each_shown(0, x_.data<T>(), [&](T x) { words.push_back(x ? "True" : "False"); });
    } else {
      each_shown(0, x_.data<T>(), [&](T x) { words.push_back(std::to_string(x)); });
    }
    size_t width = 0;
    for (const auto& word : words) width = std::max(width, word.size());
    for (auto& word : words) word = pad_left(std::move(word), width);
    return words;
  }

  // The brackets of axis dim and all that is in them. Lines after the first begin with dim + 1
  // spaces, so that elements stand below elements.
  std::string axis(int dim, size_t width) {
    const std::string indent(static_cast<size_t>(dim) + 1, ' ');
    const bool last = dim == x_.ndim() - 1;
    const auto positions = shown_positions(x_.shape()[dim], shorten_);
    std::string out, line = indent;
    for (size_t k = 0; k < positions.size(); ++k) {
      if (last) {
        const std::string word = positions[k] < 0 ? "..." : words_[next_++];
        if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
          while (line.back() == ' ') line.pop_back();
          out += line + "\n";
          line = indent;
        }
        line += word;
        if (k + 1 < positions.size()) line += ", ";
      } else {
        line += positions[k] < 0 ? "..." : axis(dim + 1, width - 1);
        if (k + 1 < positions.size())
          line += "," + std::string(static_cast<size_t>(x_.ndim() - dim - 1), '\n') + indent;
      }
    }
    out += line;
    return "[" + out.substr(indent.size()) + "]";
  }

  const Tensor& x_;
  bool shorten_;
  Texts words_;
  size_t next_ = 0;
};

}  // namespace

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  std::string out;
  if (tensor.numel() > 0)
    out = Printer(tensor).print();
  else
    out = tensor.ndim() == 1 ? "[]" : text("[] shape ", tensor.shape());
  if (tensor.dtype() != kFloat32) out += " " + std::string(name_of(tensor.dtype()));
  return out;
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

}  // namespace glass
