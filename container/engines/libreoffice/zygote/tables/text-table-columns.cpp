// Sets the columns of tables that Word fits to their content.
#include "tables/column-widths.hpp"
#include "tables/word-widths.hpp"
#include "corrections/texts.hpp"

#include <algorithm>
#include <cmath>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/frame/XModel.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/table/BorderLine2.hpp>
#include <com/sun/star/text/TableColumnSeparator.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/text/XTextTable.hpp>
#include <com/sun/star/text/XTextTablesSupplier.hpp>

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
/** A share of 100 % (ISO/IEC 29500-1, 17.18.90). */
constexpr double wholeShare = 5'000;
/** Room for LibreOffice's rounding of lengths, in twips. */
constexpr double tolerance = 3;
/** Largest number of cells measured in a document. LibreOffice takes minutes to move the columns of 3,000 rows. */
constexpr std::size_t mostCells = 2'000;

using Table = Reference<css::text::XTextTable>;

double twips(const Reference<XPropertySet>& properties, const char* name) {
  sal_Int32 length = 0;
  properties->getPropertyValue(OUString::createFromAscii(name)) >>= length;
  return length * twipsPerHundredthOfMillimeter;
}

/** Returns the width of a cell's border in twips. */
double borderOf(const Reference<XPropertySet>& cell, const char* name) {
  css::table::BorderLine2 line;
  cell->getPropertyValue(OUString::createFromAscii(name)) >>= line;
  return line.LineWidth * twipsPerHundredthOfMillimeter;
}

std::string firstTextOf(const Table& table) {
  const Reference<css::text::XText> first(table->getCellByName("A1"), UNO_QUERY);
  if (!first.is()) return "";
  const OUString text = first->getString().replaceAll("\n", "").replaceAll("\t", "");
  return OUStringToOString(text, RTL_TEXTENCODING_UTF8).getStr();
}

/** Counts the cells of a table that state a width of a kind: a share of the table, or a length. */
std::ptrdiff_t countCells(const TableLayout& layout, bool isShare) {
  std::ptrdiff_t count = 0;
  for (const std::vector<CellLayout>& row : layout.rows)
    count += std::count_if(row.begin(), row.end(), [&](const CellLayout& cell) {
      return cell.width.value > 0 && cell.width.isShare == isShare;
    });
  return count;
}

bool hasSpans(const TableLayout& layout) {
  return std::any_of(layout.rows.begin(), layout.rows.end(),
                     [&](const std::vector<CellLayout>& row) { return row.size() != layout.grid.size(); });
}

/** Reports whether Word fits the columns of a table, and has not saved their widths. */
bool isFitted(const TableLayout& layout) {
  if (layout.isFixed || layout.isUnusual || layout.hasTables || layout.isOfWord || layout.room <= 0) return false;
  if (countCells(layout, true) > 0 && countCells(layout, false) > 0) return false;
  return std::all_of(layout.rows.begin(), layout.rows.end(), [&](const std::vector<CellLayout>& row) {
    std::size_t columns = 0;
    for (const CellLayout& cell : row) columns += static_cast<std::size_t>(cell.span);
    return columns == layout.grid.size();
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
  /** Margins of the first and the last cell of the first row, in twips. */
  double margins = 0;
  /** Borders on the left of the first cell and on the right of the last cell, in twips. */
  double borders = 0;
};

/** Adds the content of a cell to its column. */
void measure(const Reference<css::text::XText>& text, const StatedWidth& stated, Column& column, WordWidths& words) {
  const Reference<XPropertySet> cell(text, UNO_QUERY_THROW);
  const double margins = twips(cell, "LeftBorderDistance") + twips(cell, "RightBorderDistance");
  // LibreOffice's text is narrower than Word's by half of both borders.
  const double borders = (borderOf(cell, "LeftBorder") + borderOf(cell, "RightBorder")) / 2 + tolerance;
  column.stated = std::max<double>(column.stated, stated.value);
  if (stated.isShare) return;
  const TextWidths widths = words.widthsOf(text);
  column.least = std::max(column.least, std::ceil(widths.widestWord + margins + borders));
  column.most = std::max(column.most, std::ceil(widths.widestLine + margins + borders));
}

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
      if (row == 0 && index == 0) {
        measured.margins += twips(properties, "LeftBorderDistance");
        measured.borders += borderOf(properties, "LeftBorder");
      }
      if (row == 0 && at == layout.grid.size()) {
        measured.margins += twips(properties, "RightBorderDistance");
        measured.borders += borderOf(properties, "RightBorder");
      }
      if (cell.span == 1) measure(text, cell.width, column, words);
    }
  }
  return measured;
}

/** Returns the inner edges of the columns, relative to the table. Empty if no row has a cell in each column. */
std::vector<double> edgesOf(const Table& table, const TableLayout& layout) {
  std::vector<double> edges;
  for (std::size_t row = 0; row < layout.rows.size(); row++) {
    if (layout.rows[row].size() != layout.grid.size()) continue;
    const Any part = table->getRows()->getByIndex(static_cast<sal_Int32>(row));
    const Reference<XPropertySet> properties(part, UNO_QUERY_THROW);
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
                                    [](const Column& column) { return column.stated > 0; });
  if (from.empty() || (!isStated && hasSpans(layout))) return;
  const double room = layout.room + (mode < 15 ? content.margins : -content.borders / 2);
  const double whole = layout.width.isShare ? room * layout.width.value / wholeShare : layout.width.value;
  const std::vector<double> widths = widthsOf(content.columns, whole, room);
  std::vector<double> edges = {0};
  for (const double width : widths) edges.push_back(edges.back() + width);
  const double width = edges.back();
  if (width <= 0) return;
  for (double& edge : edges) edge *= relativeSum / width;
  move(table, from, edges);
  const long hundredths = std::lround(width / twipsPerHundredthOfMillimeter);
  properties->setPropertyValue("Width", Any(static_cast<sal_Int32>(hundredths)));
}

}  // namespace

void fitColumns(const Reference<css::lang::XComponent>& document,
                const Reference<css::uno::XComponentContext>& context) {
  const Reference<css::text::XTextTablesSupplier> all(document, UNO_QUERY_THROW);
  if (!all->getTextTables()->hasElements()) return;
  const DocumentLayout layout =
      documentLayoutOf(context, Reference<css::frame::XModel>(document, UNO_QUERY_THROW)->getURL());
  WordWidths words(context);
  std::size_t cells = 0;
  const Reference<css::container::XEnumerationAccess> body(
      Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText(), UNO_QUERY_THROW);
  auto next = layout.tables.begin();
  for (const auto parts = body->createEnumeration(); parts->hasMoreElements();) {
    const Table table(parts->nextElement(), UNO_QUERY);
    if (!table.is()) continue;
    const auto rows = static_cast<std::size_t>(table->getRows()->getCount());
    const auto found =
        std::find_if(next, layout.tables.end(), [rows, text = firstTextOf(table)](const TableLayout& each) {
          return each.rows.size() == rows && each.firstText == text;
        });
    if (found == layout.tables.end()) continue;
    next = found + 1;
    if (!isFitted(*found)) continue;
    cells += found->rows.size() * found->grid.size();
    if (cells > mostCells) return;
    fit(table, *found, layout.compatibilityMode, words);
  }
}

}  // namespace zygote
