// Sets the columns of tables that Word fits to their content.
#include "tables/column-widths.hpp"
#include "tables/word-widths.hpp"
#include "corrections/texts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/frame/XModel.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/text/TableColumnSeparator.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/text/XTextTable.hpp>

using css::beans::XPropertySet;
using css::text::TableColumnSeparator;
using css::uno::Any;
using css::uno::Reference;
using css::uno::Sequence;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

constexpr double relativeSum = 10'000;
constexpr double twipsPerHundredthOfMillimeter = 1440.0 / 2540;
/** Changes below this share of the table are left out: they are errors of measurement. */
constexpr double leastChange = 0.002;
/** Largest number of cells measured in a document. */
constexpr std::size_t mostCells = 20'000;

using Table = Reference<css::text::XTextTable>;

double twips(const Reference<XPropertySet>& properties, const char* name) {
  sal_Int32 length = 0;
  properties->getPropertyValue(OUString::createFromAscii(name)) >>= length;
  return length * twipsPerHundredthOfMillimeter;
}

std::string firstTextOf(const Table& table) {
  const Reference<css::text::XText> first(table->getCellByName("A1"), UNO_QUERY);
  if (!first.is()) return "";
  const OUString text = first->getString().replaceAll("\n", "").replaceAll("\t", "");
  return OUStringToOString(text, RTL_TEXTENCODING_UTF8).getStr();
}

bool fits(const TableLayout& layout, const Table& table) {
  return static_cast<sal_Int32>(layout.rows.size()) == table->getRows()->getCount() &&
         layout.firstText == firstTextOf(table);
}

/** Reports whether Word's rules for stated widths apply: each cell states one, and the rows fill the grid. */
bool isFitted(const TableLayout& layout) {
  if (layout.isFixed || layout.isUnusual || layout.hasTables || layout.grid.empty()) return false;
  return std::all_of(layout.rows.begin(), layout.rows.end(), [&](const std::vector<CellLayout>& row) {
    sal_Int32 columns = 0;
    for (const CellLayout& cell : row) columns += cell.span;
    return columns == static_cast<sal_Int32>(layout.grid.size());
  });
}

/** Returns the name of a cell: its column in letters (base 52, as LibreOffice counts them), and its row from 1. */
OUString nameOf(std::size_t column, std::size_t row) {
  std::string letters;
  for (std::size_t rest = column + 1; rest > 0; rest = (rest - 1) / 52) {
    const std::size_t digit = (rest - 1) % 52;
    letters.insert(letters.begin(), static_cast<char>(digit < 26 ? 'A' + digit : 'a' + digit - 26));
  }
  return OUString::createFromAscii((letters + std::to_string(row + 1)).c_str());
}

struct Measured {
  std::vector<Column> columns;
  /** Margins of the first and the last cell, in twips. */
  double margins = 0;
};

Measured measured(const Table& table, const TableLayout& layout, WordWidths& words) {
  Measured measured;
  measured.columns.resize(layout.grid.size());
  for (std::size_t row = 0; row < layout.rows.size(); row++) {
    std::size_t at = 0;
    for (std::size_t index = 0; index < layout.rows[row].size(); index++) {
      const CellLayout& cell = layout.rows[row][index];
      Column& column = measured.columns[at];
      at += static_cast<std::size_t>(cell.span);
      const Reference<css::text::XText> text(table->getCellByName(nameOf(index, row)), UNO_QUERY);
      if (!text.is()) continue;
      const Reference<XPropertySet> properties(text, UNO_QUERY_THROW);
      const double left = twips(properties, "LeftBorderDistance");
      const double right = twips(properties, "RightBorderDistance");
      if (row == 0 && index == 0) measured.margins += left;
      if (row == 0 && at == layout.grid.size()) measured.margins += right;
      if (cell.span > 1) continue;
      column.preferred = std::max<double>(column.preferred, cell.width);
      const double widest = words.widestOf(text);
      if (widest > 0) column.least = std::max(column.least, std::ceil(widest + left + right));
    }
  }
  return measured;
}

/** Returns the inner edges of the columns, relative to the table. Empty if no row has a cell in each column. */
std::vector<double> edgesOf(const Table& table, const TableLayout& layout) {
  std::vector<double> edges;
  for (std::size_t row = 0; row < layout.rows.size(); row++) {
    if (layout.rows[row].size() != layout.grid.size()) continue;
    const Reference<XPropertySet> properties(table->getRows()->getByIndex(static_cast<sal_Int32>(row)), UNO_QUERY_THROW);
    Sequence<TableColumnSeparator> separators;
    properties->getPropertyValue("TableColumnSeparators") >>= separators;
    if (separators.getLength() + 1 != static_cast<sal_Int32>(layout.grid.size())) continue;
    edges.push_back(0);
    for (const TableColumnSeparator& separator : separators) edges.push_back(separator.Position);
    edges.push_back(relativeSum);
    return edges;
  }
  return edges;
}

/** Returns the position that an edge has after the columns have moved. */
sal_Int16 moved(double position, const std::vector<double>& from, const std::vector<double>& to) {
  const auto above = std::upper_bound(from.begin() + 1, from.end() - 1, position);
  const auto index = static_cast<std::size_t>(above - from.begin());
  const double length = std::max(1.0, from[index] - from[index - 1]);
  const double share = (position - from[index - 1]) / length;
  return static_cast<sal_Int16>(std::lround(to[index - 1] + share * (to[index] - to[index - 1])));
}

void move(const Table& table, const std::vector<double>& from, const std::vector<double>& to) {
  for (sal_Int32 index = 0; index < table->getRows()->getCount(); index++) {
    const Reference<XPropertySet> row(table->getRows()->getByIndex(index), UNO_QUERY_THROW);
    Sequence<TableColumnSeparator> separators;
    row->getPropertyValue("TableColumnSeparators") >>= separators;
    if (!separators.hasElements()) continue;
    TableColumnSeparator* const positions = separators.getArray();
    for (sal_Int32 at = 0; at < separators.getLength(); at++)
      positions[at].Position = moved(positions[at].Position, from, to);
    row->setPropertyValue("TableColumnSeparators", Any(separators));
  }
}

void fit(const Table& table, const TableLayout& layout, sal_Int32 mode, WordWidths& words) {
  const Reference<XPropertySet> properties(table, UNO_QUERY_THROW);
  const std::vector<double> from = edgesOf(table, layout);
  const Measured content = measured(table, layout, words);
  const bool isStated = std::all_of(content.columns.begin(), content.columns.end(),
                                    [](const Column& column) { return column.preferred > 0; });
  if (from.empty() || !isStated) return;
  const std::vector<double> widths =
      widthsOf(content.columns, layout.width, layout.room + (mode < 15 ? content.margins : 0));
  std::vector<double> edges = {0};
  for (const double width : widths) edges.push_back(edges.back() + width);
  const double whole = edges.back();
  for (double& edge : edges) edge *= relativeSum / whole;
  {
    FILE* f = stderr;
    fprintf(f, "%s mode %d word %d tblW %d room %d+%.0f width %.0f\n", layout.firstText.c_str(), mode, layout.isOfWord, layout.width, layout.room, content.margins, twips(properties, "Width"));
    for (size_t i = 0; i < widths.size(); i++) fprintf(f, "   pref %.0f least %.0f grid %d now %.0f -> %.0f\n", content.columns[i].preferred, content.columns[i].least, layout.grid[i], (from[i+1]-from[i])*twips(properties,"Width")/10000, widths[i]);
    fflush(f);
  }
  if (whole <= 0 || layout.isOfWord) return;
  move(table, from, edges);
  properties->setPropertyValue("Width", Any(static_cast<sal_Int32>(std::lround(whole / twipsPerHundredthOfMillimeter))));
}

}  // namespace

void fitColumns(const Reference<css::lang::XComponent>& document,
                const Reference<css::uno::XComponentContext>& context) {
  const DocumentLayout layout =
      documentLayoutOf(context, Reference<css::frame::XModel>(document, UNO_QUERY_THROW)->getURL());
  if (layout.tables.empty()) return;
  WordWidths words(context);
  const Reference<css::container::XEnumerationAccess> body(
      Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText(), UNO_QUERY_THROW);
  auto next = layout.tables.begin();
  for (const auto parts = body->createEnumeration(); parts->hasMoreElements();) {
    const Table table(parts->nextElement(), UNO_QUERY);
    if (!table.is()) continue;
    const auto found = std::find_if(next, layout.tables.end(), [&](const auto& each) { return fits(each, table); });
    if (found == layout.tables.end()) continue;
    next = found + 1;
    if (isFitted(*found)) fit(table, *found, layout.compatibilityMode, words);
  }
}

}  // namespace zygote
