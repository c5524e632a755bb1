// Implements Word's rules for the widths of columns.
#include "tables/column-widths.hpp"

#include <algorithm>

namespace zygote {

std::vector<double> widthsOf(const std::vector<Column>& columns, double whole, double room) {
  double sum = 0;
  double least = 0;
  double preferred = 0;
  for (const Column& column : columns) {
    sum += std::max(column.preferred, column.least);
    least += column.least;
    preferred += column.preferred;
  }
  const double available = whole > 0 ? whole : std::min(sum, std::max(room, preferred));
  std::vector<double> widths;
  for (const Column& column : columns) {
    const double width = std::max(column.preferred, column.least);
    if (available >= sum) widths.push_back(width * available / sum);
    else if (available <= least) widths.push_back(column.least * available / least);
    else widths.push_back(width - (width - column.least) * (sum - available) / (sum - least));
  }
  return widths;
}

}  // namespace zygote
