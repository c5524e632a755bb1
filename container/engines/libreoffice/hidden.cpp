// Removes what would make LibreOffice print hidden content.
#include "hidden.hpp"

#include <set>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/drawing/XDrawPage.hpp>
#include <com/sun/star/drawing/XDrawPageSupplier.hpp>
#include <com/sun/star/lang/XMultiComponentFactory.hpp>
#include <com/sun/star/sheet/XPrintAreas.hpp>
#include <com/sun/star/sheet/XScenario.hpp>
#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/xml/dom/DocumentBuilder.hpp>
#include <com/sun/star/xml/dom/XElement.hpp>

using css::beans::XPropertySet;
using css::container::XIndexAccess;
using css::container::XNameAccess;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

using Context = Reference<css::uno::XComponentContext>;
using Elements = Reference<css::xml::dom::XNodeList>;

/** The namespace of relationships in a package (ISO/IEC 29500-2, 9.3). */
constexpr char relationships[] = "http://schemas.openxmlformats.org/package/2006/relationships";
/** Namespaces of SpreadsheetML (ISO/IEC 29500-1 and 29500-4). */
const auto spreadsheets = {"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
                           "http://purl.oclc.org/ooxml/spreadsheetml/main"};

/** Returns the elements of a part with a name, in one namespace. */
Elements elementsOf(const Context& context, const Reference<XNameAccess>& package, const OUString& part,
                    const char* space, const char* name) {
  const Reference<css::io::XInputStream> stream(package->getByName(part), UNO_QUERY_THROW);
  const auto document = css::xml::dom::DocumentBuilder::create(context)->parse(stream);
  return document->getElementsByTagNameNS(OUString::createFromAscii(space), OUString::createFromAscii(name));
}

OUString attribute(const Elements& elements, sal_Int32 index, const char* name) {
  const Reference<css::xml::dom::XElement> element(elements->item(index), UNO_QUERY_THROW);
  return element->getAttribute(OUString::createFromAscii(name));
}

/** Returns the name of a package's main part, as its relationships tell (ISO/IEC 29500-1, 12.2). */
OUString mainPart(const Context& context, const Reference<XNameAccess>& package) {
  const Elements all = elementsOf(context, package, "_rels/.rels", relationships, "Relationship");
  for (sal_Int32 index = 0; index < all->getLength(); index++) {
    if (!attribute(all, index, "Type").endsWith("/officeDocument")) continue;
    const OUString target = attribute(all, index, "Target");
    return target.startsWith("/") ? target.copy(1) : target;
  }
  return "";
}

/**
 * Returns the names of the hidden sheets of an Office Open XML workbook. LibreOffice shows the active sheet even if it
 * is hidden.
 */
std::set<OUString> hiddenIn(const Context& context, const OUString& url) {
  std::set<OUString> names;
  try {
    const Any file(url);
    const css::uno::Sequence<Any> arguments(&file, 1);
    const Reference<XNameAccess> package(
        context->getServiceManager()->createInstanceWithArgumentsAndContext("com.sun.star.packages.zip.ZipFileAccess",
                                                                            arguments, context),
        UNO_QUERY_THROW);
    const OUString workbook = mainPart(context, package);
    for (const char* const space : spreadsheets) {
      const Elements sheets = elementsOf(context, package, workbook, space, "sheet");
      for (sal_Int32 index = 0; index < sheets->getLength(); index++) {
        const OUString state = attribute(sheets, index, "state");
        if (state == "hidden" || state == "veryHidden") names.insert(attribute(sheets, index, "name"));
      }
    }
  } catch (const css::uno::Exception&) {
    // No package, or one whose main part is not XML: LibreOffice imports the visibility of its sheets.
  }
  return names;
}

bool isHidden(const Reference<XPropertySet>& sheet) {
  bool isVisible = true;
  sheet->getPropertyValue("IsVisible") >>= isVisible;
  const Reference<css::sheet::XScenario> scenario(sheet, UNO_QUERY);
  return !isVisible || (scenario.is() && scenario->getIsScenario());
}

void keepSheetsHidden(const Context& context, const Reference<css::sheet::XSpreadsheetDocument>& workbook,
                      const OUString& url) {
  const Reference<XNameAccess> sheets(workbook->getSheets(), UNO_QUERY_THROW);
  const std::set<OUString> hidden = hiddenIn(context, url);
  for (const OUString& name : sheets->getElementNames()) {
    const Reference<XPropertySet> sheet(sheets->getByName(name), UNO_QUERY_THROW);
    if (hidden.count(name) == 0 && !isHidden(sheet)) continue;
    sheet->setPropertyValue("IsVisible", Any(false));
    Reference<css::sheet::XPrintAreas>(sheet, UNO_QUERY_THROW)->setPrintAreas({});
  }
}

// A text document has no other interface for its shapes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Reference<css::drawing::XDrawPage> shapesOf(const Reference<css::text::XTextDocument>& document) {
  const Reference<css::drawing::XDrawPageSupplier> supplier(document, UNO_QUERY_THROW);
  return supplier->getDrawPage();
}
#pragma GCC diagnostic pop

/** Removes hidden shapes from a text document: their text boxes are drawn. */
void removeHiddenShapes(const Reference<css::drawing::XDrawPage>& page) {
  const Reference<XIndexAccess> shapes(page, UNO_QUERY_THROW);
  for (sal_Int32 index = shapes->getCount() - 1; index >= 0; index--) {
    const Reference<XPropertySet> shape(shapes->getByIndex(index), UNO_QUERY_THROW);
    if (!shape->getPropertySetInfo()->hasPropertyByName("Visible")) continue;
    bool isVisible = true;
    shape->getPropertyValue("Visible") >>= isVisible;
    if (!isVisible) page->remove(Reference<css::drawing::XShape>(shape, UNO_QUERY_THROW));
  }
}

}  // namespace

void keepHidden(const Context& context, const Reference<css::lang::XComponent>& document, const OUString& url) {
  const Reference<css::sheet::XSpreadsheetDocument> workbook(document, UNO_QUERY);
  if (workbook.is()) return keepSheetsHidden(context, workbook, url);
  const Reference<css::text::XTextDocument> text(document, UNO_QUERY);
  if (text.is()) removeHiddenShapes(shapesOf(text));
}

}  // namespace zygote
