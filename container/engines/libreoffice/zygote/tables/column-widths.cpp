// Implements Word's rules for the widths of columns.
#include "tables/column-widths.hpp"

#include <algorithm>
#include <numeric>

namespace zygote {
namespace {

double sumOf(const std::vector<double>& lengths) { return std::accumulate(lengths.begin(), lengths.end(), 0.0); }

/** Shares a change among columns, in proportion to their weights. Returns false if no column has a weight. */
bool share(std::vector<double>& widths, const std::vector<double>& weights, double change) {
  const double whole = sumOf(weights);
  if (whole <= 0) return false;
  for (std::size_t at = 0; at < widths.size(); at++) widths[at] += change * weights[at] / whole;
  return true;
}

/** Returns the excess of columns over their widest words: of those with stated widths, or of the others. */
std::vector<double> excessOf(const std::vector<Column>& columns, const std::vector<double>& widths, bool isStated) {
  std::vector<double> excess;
  for (std::size_t at = 0; at < columns.size(); at++)
    excess.push_back((columns[at].stated > 0) == isStated ? widths[at] - columns[at].least : 0);
  return excess;
}

void narrow(const std::vector<Column>& columns, std::vector<double>& widths, double available) {
  for (const bool isStated : {false, true}) {
    const std::vector<double> excess = excessOf(columns, widths, isStated);
    const double missing = std::min(sumOf(excess), sumOf(widths) - available);
    if (missing > 0) share(widths, excess, -missing);
  }
  const double whole = sumOf(widths);
  if (whole > available)
    for (double& width : widths) width *= available / whole;
}

void widen(const std::vector<Column>& columns, std::vector<double>& widths, double available) {
  std::vector<double> weights;
  for (const Column& column : columns) weights.push_back(column.stated > 0 ? 0 : column.most);
  const double missing = available - sumOf(widths);
  if (!share(widths, weights, missing)) share(widths, std::vector<double>(widths), missing);
}

}  // namespace

std::vector<double> widthsOf(const std::vector<Column>& columns, double whole, double room) {
  std::vector<double> widths;
  for (const Column& column : columns)
    widths.push_back(std::max(column.stated > 0 ? column.stated : column.most, column.least));
  const double sum = sumOf(widths);
  const double available = whole > 0 ? whole : std::min(sum, room);
  if (sum > available) narrow(columns, widths, available);
  else if (sum < available) widen(columns, widths, available);
  return widths;
}

}  // namespace zygote
