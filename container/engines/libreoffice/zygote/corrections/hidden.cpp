// Removes hidden content that LibreOffice would print.
#include "corrections/hidden.hpp"

#include <string>
#include <unordered_map>
#include <vector>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XNamed.hpp>
#include <com/sun/star/drawing/XDrawPageSupplier.hpp>
#include <com/sun/star/drawing/XShapes.hpp>
#include <com/sun/star/sheet/XPrintAreas.hpp>
#include <com/sun/star/sheet/XScenario.hpp>
#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>
#include <com/sun/star/text/XTextDocument.hpp>

using css::beans::XPropertySet;
using css::container::XIndexAccess;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

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

void keepSheetsHidden(const Reference<css::sheet::XSpreadsheetDocument>& document, const Workbook* workbook) {
  const Reference<XIndexAccess> sheets(document->getSheets(), UNO_QUERY_THROW);
  for (sal_Int32 index = 0; index < sheets->getCount(); index++) {
    const Reference<XPropertySet> sheet(sheets->getByIndex(index), UNO_QUERY_THROW);
    if (isHidden(sheet) || (workbook != nullptr && workbook->isHidden(nameOf(sheet)))) {
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
}

}  // namespace

void keepHidden(const Reference<css::lang::XComponent>& document, const Workbook* workbook) {
  const Reference<css::sheet::XSpreadsheetDocument> sheets(document, UNO_QUERY);
  if (sheets.is()) return keepSheetsHidden(sheets, workbook);
  const Reference<css::text::XTextDocument> text(document, UNO_QUERY);
  if (text.is()) removeWhere(shapesOf(text), isUnprinted);
}

}  // namespace zygote
