// Removes hidden content that LibreOffice would print.
#include "corrections/hidden.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XNamed.hpp>
#include <com/sun/star/document/XUndoManagerSupplier.hpp>
#include <com/sun/star/drawing/XDrawPageSupplier.hpp>
#include <com/sun/star/drawing/XShapes.hpp>
#include <com/sun/star/sheet/XCellRangeAddressable.hpp>
#include <com/sun/star/sheet/XPrintAreas.hpp>
#include <com/sun/star/sheet/XScenario.hpp>
#include <com/sun/star/sheet/XSpreadsheet.hpp>
#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>
#include <com/sun/star/sheet/XUsedAreaCursor.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/view/XRenderable.hpp>

using css::beans::XPropertySet;
using css::container::XIndexAccess;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** The last column and row that every spreadsheet has, from 0. */
constexpr sal_Int32 lastColumn = 1023;
constexpr sal_Int32 lastRow = 65535;

/** Reports whether an object has the given property and its value is false. */
bool isDenied(const Reference<XPropertySet>& object, const char* property) {
  const OUString name = OUString::createFromAscii(property);
  bool value = true;
  if (object->getPropertySetInfo()->hasPropertyByName(name)) object->getPropertyValue(name) >>= value;
  return !value;
}

bool isHidden(const Reference<XPropertySet>& sheet) {
  const Reference<css::sheet::XScenario> scenario(sheet, UNO_QUERY);
  return isDenied(sheet, "IsVisible") || (scenario.is() && scenario->getIsScenario());
}

std::string nameOf(const Reference<css::uno::XInterface>& object) {
  const OUString name = Reference<css::container::XNamed>(object, UNO_QUERY_THROW)->getName();
  return std::string(rtl::OUStringToOString(name, RTL_TEXTENCODING_UTF8).getStr());
}

/** Removes the shapes for which a test returns true, including shapes within groups. */
template <class Test>
void removeWhere(const Reference<css::drawing::XShapes>& shapes, const Test& test) {
  for (sal_Int32 index = shapes->getCount() - 1; index >= 0; index--) {
    const Reference<XPropertySet> shape(shapes->getByIndex(index), UNO_QUERY_THROW);
    if (test(shape)) {
      shapes->remove(Reference<css::drawing::XShape>(shape, UNO_QUERY_THROW));
    } else {
      const Reference<css::drawing::XShapes> group(shape, UNO_QUERY);
      if (group.is()) removeWhere(group, test);
    }
  }
}

/** Reports whether a shape is hidden or for screens only. LibreOffice would print such a shape or its text. */
bool isUnprinted(const Reference<XPropertySet>& shape) {
  return isDenied(shape, "Visible") || isDenied(shape, "Printable");
}

/**
 * Removes shapes that Excel shows only on screen. LibreOffice does not import this property. @param prints for each
 * shape name, whether the shapes with this name are printed
 */
void removeUnprinted(const Reference<css::drawing::XShapes>& shapes, const Workbook::Printed& prints) {
  std::unordered_map<std::string, std::size_t> seen;
  std::vector<Reference<css::drawing::XShape>> unprinted;
  for (sal_Int32 index = 0; index < shapes->getCount(); index++) {
    const Reference<css::drawing::XShape> shape(shapes->getByIndex(index), UNO_QUERY_THROW);
    const auto found = prints.find(nameOf(shape));
    if (found == prints.end()) continue;
    const std::size_t at = seen[found->first]++;
    if (at < found->second.size() && !found->second[at]) unprinted.push_back(shape);
  }
  for (const auto& shape : unprinted) shapes->remove(shape);
}

// This interface is deprecated, but sheets and text documents have no other one for their shapes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Reference<css::drawing::XShapes> shapesOf(const Reference<css::uno::XInterface>& owner) {
  return {Reference<css::drawing::XDrawPageSupplier>(owner, UNO_QUERY_THROW)->getDrawPage(), UNO_QUERY_THROW};
}
#pragma GCC diagnostic pop

css::awt::Point positionOf(const Reference<css::sheet::XSpreadsheet>& sheet, sal_Int32 column, sal_Int32 row) {
  css::awt::Point position;
  const Reference<XPropertySet> cell(sheet->getCellByPosition(column, row), UNO_QUERY_THROW);
  cell->getPropertyValue("Position") >>= position;
  return position;
}

/** Returns the range of the cells and shapes of a sheet. */
css::table::CellRangeAddress contentOf(const Reference<css::sheet::XSpreadsheet>& sheet) {
  const Reference<css::sheet::XUsedAreaCursor> cursor(sheet->createCursor(), UNO_QUERY_THROW);
  cursor->gotoStartOfUsedArea(false);
  cursor->gotoEndOfUsedArea(true);
  css::table::CellRangeAddress used =
      Reference<css::sheet::XCellRangeAddressable>(cursor, UNO_QUERY_THROW)->getRangeAddress();
  const Reference<css::drawing::XShapes> shapes = shapesOf(sheet);
  for (sal_Int32 index = 0; index < shapes->getCount(); index++) {
    const Reference<css::drawing::XShape> shape(shapes->getByIndex(index), UNO_QUERY_THROW);
    const css::awt::Point from = shape->getPosition();
    const css::awt::Size size = shape->getSize();
    while (used.EndColumn < lastColumn && positionOf(sheet, used.EndColumn + 1, 0).X < from.X + size.Width)
      used.EndColumn++;
    while (used.EndRow < lastRow && positionOf(sheet, 0, used.EndRow + 1).Y < from.Y + size.Height) used.EndRow++;
  }
  return used;
}

sal_Int32 pagesOf(const Reference<css::sheet::XSpreadsheetDocument>& document) {
  return Reference<css::view::XRenderable>(document, UNO_QUERY_THROW)->getRendererCount(Any(document), {});
}

/**
 * Makes LibreOffice print the chosen sheets that it would not print: hidden sheets, and those without a print range in
 * a document that has print ranges. If it would print no sheet, it would print all of them.
 */
void printChosen(const Reference<css::sheet::XSpreadsheetDocument>& document, const std::vector<bool>& printed) {
  const Reference<XIndexAccess> sheets(document->getSheets(), UNO_QUERY_THROW);
  const Reference<css::document::XUndoManagerSupplier> supplier(document, UNO_QUERY_THROW);
  const auto areasOf = [&](std::size_t index) {
    const Any sheet = sheets->getByIndex(static_cast<sal_Int32>(index));
    return Reference<css::sheet::XPrintAreas>(sheet, UNO_QUERY_THROW);
  };
  const auto left = static_cast<std::size_t>(std::find(printed.begin(), printed.end(), false) - printed.begin());
  css::table::CellRangeAddress cell;
  cell.Sheet = static_cast<sal_Int16>(left);
  if (left < printed.size()) areasOf(left)->setPrintAreas({&cell, 1});
  for (std::size_t index = 0; index < printed.size(); index++) {
    const Reference<css::sheet::XPrintAreas> areas = areasOf(index);
    if (!printed[index] || areas->getPrintAreas().hasElements()) continue;
    const sal_Int32 before = pagesOf(document);
    const css::table::CellRangeAddress content = contentOf({areas, UNO_QUERY_THROW});
    areas->setPrintAreas({&content, 1});
    // As a whole, a sheet is printed with the text that leaves its cells.
    if (pagesOf(document) <= before) supplier->getUndoManager()->undo();
  }
  if (left < printed.size()) areasOf(left)->setPrintAreas({});
}

void keepSheetsHidden(const Reference<css::sheet::XSpreadsheetDocument>& document, const Workbook* workbook,
                      const std::vector<bool>& printed) {
  const Reference<XIndexAccess> sheets(document->getSheets(), UNO_QUERY_THROW);
  // Chosen sheets are shown first, because LibreOffice does not hide the last visible sheet.
  for (std::size_t index = 0; index < printed.size(); index++) {
    const Reference<XPropertySet> sheet(sheets->getByIndex(static_cast<sal_Int32>(index)), UNO_QUERY_THROW);
    if (printed[index]) sheet->setPropertyValue("IsVisible", Any(true));
  }
  for (sal_Int32 index = 0; index < sheets->getCount(); index++) {
    const Reference<XPropertySet> sheet(sheets->getByIndex(index), UNO_QUERY_THROW);
    const bool hidden = isHidden(sheet) || (workbook != nullptr && workbook->isHidden(nameOf(sheet)));
    if (printed.empty() ? hidden : !printed[static_cast<std::size_t>(index)]) {
      sheet->setPropertyValue("IsVisible", Any(false));
      Reference<css::sheet::XPrintAreas>(sheet, UNO_QUERY_THROW)->setPrintAreas({});
    } else {
      const Reference<css::drawing::XShapes> shapes = shapesOf(sheet);
      // Must run before other shapes with the same names are removed.
      if (workbook != nullptr && index < workbook->sheetCount())
        removeUnprinted(shapes, workbook->printedShapesOf(index));
      removeWhere(shapes, isUnprinted);
    }
  }
  if (!printed.empty()) printChosen(document, printed);
}

}  // namespace

void keepHidden(const Reference<css::lang::XComponent>& document, const Workbook* workbook,
                const std::vector<bool>& printed) {
  const Reference<css::sheet::XSpreadsheetDocument> sheets(document, UNO_QUERY);
  if (sheets.is()) return keepSheetsHidden(sheets, workbook, printed);
  const Reference<css::text::XTextDocument> text(document, UNO_QUERY);
  if (text.is()) removeWhere(shapesOf(text), isUnprinted);
}

}  // namespace zygote
