// Computes the widths of a table's columns as Word does.
#pragma once

#include <vector>

#include "tables/table-layouts.hpp"

namespace zygote {

/** A column of a table. Lengths in twips. */
struct Column {
  /** Largest width that a cell states. */
  double preferred = 0;
  /** Width of the widest word, with the cell's margins. */
  double least = 0;
};

/**
 * Returns the widths of columns whose cells state widths, in twips. Word widens each column to its widest word. If the
 * columns then exceed the table, each yields a share of its excess over its widest word.
 * @param whole width of the table; 0 if it states none
 * @param room greatest width of a table that states none
 */
std::vector<double> widthsOf(const std::vector<Column>& columns, double whole, double room);

}  // namespace zygote
