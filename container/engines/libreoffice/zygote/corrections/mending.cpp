// Applies the corrections that a document's import filter requires.
#include "corrections/mending.hpp"

#include <algorithm>
#include <iterator>

#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/style/PageStyleLayout.hpp>
#include <com/sun/star/style/XStyle.hpp>
#include <com/sun/star/style/XStyleFamiliesSupplier.hpp>

#include "spreadsheets/sheets.hpp"
#include "corrections/slides.hpp"
#include "corrections/texts.hpp"

using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;

namespace zygote {
namespace {

/**
 * Import filters of spreadsheet formats without headers and footers, or whose headers and footers LibreOffice ignores.
 */
constexpr const char* filtersWithoutHeaders[] = {
    "Text - txt - csv (StarCalc)",  "calc_HTML_WebQuery",      "HTML (StarCalc)",
    "Rich Text Format (StarCalc)",  "MS Excel 2003 XML Orcus", "Gnumeric XML",
    "SYLK",  "DIF",  "dBase",       "Lotus",                   "Quattro Pro 6.0"};

bool startsWith(const std::string& filter, const char* start) { return filter.find(start) == 0; }

bool isOfWord(const std::string& filter) {
  return startsWith(filter, "MS Word") || startsWith(filter, "Office Open XML Text") || filter == "Rich Text Format";
}

/** Applies a correction. If it fails, the document stays as it was imported. */
template <class Correction>
void attempt(const Correction& correction) {
  try {
    correction();
  } catch (const css::uno::Exception&) {
  }
}

/**
 * Removes LibreOffice's default headers and footers. They print a sheet name and a page number that the input does not
 * contain.
 */
void removeHeaders(const Reference<css::lang::XComponent>& document) {
  for (const Reference<css::beans::XPropertySet>& style : pageStylesOf(document)) {
    style->setPropertyValue("HeaderIsOn", Any(false));
    style->setPropertyValue("FooterIsOn", Any(false));
  }
}

void mendParagraphs(const Reference<css::lang::XComponent>& document) {
  visitParagraphs(document, [&](const Paragraph& paragraph) {
    attempt([&] { mendLinks(document, paragraph); });
    attempt([&] { mendAsianText(paragraph); });
  });
}

}  // namespace

std::unique_ptr<Workbook> openWorkbook(const std::string& filter,
                                       const Reference<css::uno::XComponentContext>& context,
                                       const rtl::OUString& url) {
  const bool isExcel = startsWith(filter, "Calc MS Excel 2007") && filter != "Calc MS Excel 2007 Binary";
  std::unique_ptr<Workbook> workbook;
  if (isExcel || startsWith(filter, "Calc Office Open XML"))
    attempt([&] { workbook = std::make_unique<Workbook>(context, url); });
  return workbook;
}

void mend(const Reference<css::lang::XComponent>& document, const std::string& filter,
          const Workbook* workbook) {
  const auto end = std::end(filtersWithoutHeaders);
  if (std::find(std::begin(filtersWithoutHeaders), end, filter) != end) removeHeaders(document);
  if (isOfWord(filter)) {
    attempt([&] { mendParagraphs(document); });
    attempt([&] { mendBullets(document); });
    attempt([&] { mendTables(document); });
    attempt([&] { mendBreaks(document); });
    attempt([&] { mendColumns(document); });
  }
  if (filter.find("PowerPoint") != std::string::npos) attempt([&] { mendHangul(document); });
  const Reference<css::sheet::XSpreadsheetDocument> sheets(document, UNO_QUERY);
  if (sheets.is() && workbook != nullptr) {
    attempt([&] { mendFormulas(sheets, *workbook); });
    attempt([&] { mendRowHeights(sheets, *workbook); });
  }
}

std::vector<Reference<css::beans::XPropertySet>> pageStylesOf(const Reference<css::lang::XComponent>& document) {
  const Reference<css::style::XStyleFamiliesSupplier> supplier(document, UNO_QUERY_THROW);
  const Any family = supplier->getStyleFamilies()->getByName("PageStyles");
  const Reference<css::container::XNameAccess> styles(family, UNO_QUERY_THROW);
  std::vector<Reference<css::beans::XPropertySet>> all;
  for (const rtl::OUString& name : styles->getElementNames()) all.emplace_back(styles->getByName(name), UNO_QUERY_THROW);
  return all;
}

bool hasBlankPages(const Reference<css::lang::XComponent>& document, const std::string& filter) {
  if (!isOfWord(filter)) return false;
  const auto styles = pageStylesOf(document);
  return std::any_of(styles.begin(), styles.end(), [](const Reference<css::beans::XPropertySet>& style) {
    css::style::PageStyleLayout layout = css::style::PageStyleLayout_ALL;
    style->getPropertyValue("PageStyleLayout") >>= layout;
    const bool isOneSide = layout == css::style::PageStyleLayout_LEFT || layout == css::style::PageStyleLayout_RIGHT;
    return isOneSide && Reference<css::style::XStyle>(style, UNO_QUERY_THROW)->isInUse();
  });
}

}  // namespace zygote
