// Computes the widths of a table's columns as Word does.
#pragma once

#include <vector>

#include "tables/table-layouts.hpp"

namespace zygote {

/** A column of a table. Lengths in twips. */
struct Column {
  /** Largest width that a cell states. 0 if no cell states one. */
  double stated = 0;
  /** Width of the widest word, with the cell's margins. */
  double least = 0;
  /** Width of the widest line, with the cell's margins. */
  double most = 0;
};

/**
 * Returns the widths of columns in twips. Word gives a column its stated width or else that of its widest line, but at
 * least that of its widest word. If the columns then exceed the table, first those without stated widths yield a share
 * of their excess over their widest words, then the others. If the table is wider, columns without stated widths grow.
 * @param whole width of the table; 0 if it states none
 * @param room greatest width of a table that states none
 */
std::vector<double> widthsOf(const std::vector<Column>& columns, double whole, double room);

}  // namespace zygote
