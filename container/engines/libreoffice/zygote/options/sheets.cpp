#include <algorithm>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/sheet/XCellRangeAddressable.hpp>
#include <com/sun/star/sheet/XSheetAnnotation.hpp>
#include <com/sun/star/sheet/XSheetAnnotationsSupplier.hpp>
#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>
#include <com/sun/star/sheet/XUsedAreaCursor.hpp>
#include <com/sun/star/style/XStyleFamiliesSupplier.hpp>

#include "corrections/mending.hpp"
#include "options/options.hpp"

using css::container::XNameAccess;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** LibreOffice scales pages down to 10 %. The rest is for margins, headers and footers. */
constexpr double smallestScale = 0.15;
/** 14,400 points, the largest side of a page (ISO 32000-1, annex C), in 1/100 mm. */
constexpr sal_Int32 largestPaper = 508'000;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t from = 0, to; from < text.size(); from = to + 1) {
    to = std::min(text.find('\n', from), text.size());
    all.push_back(text.substr(from, to - from));
  }
  return all;
}

/** @returns the index of a sheet, or -1 */
sal_Int32 indexOf(const std::vector<std::string>& names, const std::string& nameOrNumber) {
  const auto found = std::find(names.begin(), names.end(), nameOrNumber);
  if (found != names.end()) return static_cast<sal_Int32>(found - names.begin());
  const bool isNumber = nameOrNumber.size() < 6 && nameOrNumber.find_first_not_of("0123456789") == std::string::npos;
  const int number = isNumber ? std::stoi(nameOrNumber) : 0;
  return number <= static_cast<int>(names.size()) ? number - 1 : -1;
}

css::awt::Size paperOf(const Reference<css::beans::XPropertySet>& style) {
  css::awt::Size paper;
  style->getPropertyValue("Width") >>= paper.Width;
  style->getPropertyValue("Height") >>= paper.Height;
  return paper;
}

void setPaper(const Reference<css::beans::XPropertySet>& style, double width, double height) {
  style->setPropertyValue("Width", Any(static_cast<sal_Int32>(width)));
  style->setPropertyValue("Height", Any(static_cast<sal_Int32>(height)));
}

void turn(const Reference<css::beans::XPropertySet>& style, bool landscape) {
  const css::awt::Size paper = paperOf(style);
  style->setPropertyValue("IsLandscape", Any(landscape));
  if ((paper.Width > paper.Height) != landscape) setPaper(style, paper.Height, paper.Width);
}

/** Enlarges the paper of sheets that would not fit on a page at LibreOffice's smallest scale. */
void makeRoom(const Reference<css::sheet::XSpreadsheetDocument>& document) {
  const Reference<css::style::XStyleFamiliesSupplier> supplier(document, UNO_QUERY_THROW);
  const Reference<XNameAccess> styles(supplier->getStyleFamilies()->getByName("PageStyles"), UNO_QUERY_THROW);
  const Reference<css::container::XIndexAccess> sheets(document->getSheets(), UNO_QUERY_THROW);
  for (sal_Int32 index = 0; index < sheets->getCount(); index++) {
    const Reference<css::sheet::XSpreadsheet> sheet(sheets->getByIndex(index), UNO_QUERY_THROW);
    const css::awt::Size size = usedRangeOf(sheet).size;
    OUString name;
    Reference<css::beans::XPropertySet>(sheet, UNO_QUERY_THROW)->getPropertyValue("PageStyle") >>= name;
    const Reference<css::beans::XPropertySet> style(styles->getByName(name), UNO_QUERY_THROW);
    const css::awt::Size paper = paperOf(style);
    const double needed = smallestScale * std::max(double(size.Width) / paper.Width, double(size.Height) / paper.Height);
    const double possible = double(largestPaper) / std::max(paper.Width, paper.Height);
    if (needed > 1) setPaper(style, paper.Width * std::min(needed, possible), paper.Height * std::min(needed, possible));
  }
}

/** Makes LibreOffice read comments. It prints those that it has not read yet without their text. */
void readComments(const Reference<css::sheet::XSpreadsheetDocument>& document) {
  const Reference<css::container::XIndexAccess> sheets(document->getSheets(), UNO_QUERY_THROW);
  for (sal_Int32 index = 0; index < sheets->getCount(); index++) {
    const Reference<css::sheet::XSheetAnnotationsSupplier> sheet(sheets->getByIndex(index), UNO_QUERY_THROW);
    const Reference<css::container::XIndexAccess> comments(sheet->getAnnotations(), UNO_QUERY_THROW);
    for (sal_Int32 at = 0; at < comments->getCount(); at++) {
      const Reference<css::sheet::XSheetAnnotation> comment(comments->getByIndex(at), UNO_QUERY_THROW);
      if (comment->getIsVisible()) continue;
      comment->setIsVisible(true);
      comment->setIsVisible(false);
    }
  }
}

}  // namespace

SheetChoice chosenSheets(const Reference<css::lang::XComponent>& document, const JsonObject& request) {
  const std::vector<std::string> chosen = lines(request.text("sheets", ""));
  const Reference<css::sheet::XSpreadsheetDocument> spreadsheet(document, UNO_QUERY);
  if (chosen.empty() || !spreadsheet.is()) return {};
  std::vector<std::string> names;
  for (const OUString& name : spreadsheet->getSheets()->getElementNames())
    names.emplace_back(rtl::OUStringToOString(name, RTL_TEXTENCODING_UTF8).getStr());
  SheetChoice choice{std::vector<bool>(names.size()), ""};
  for (const std::string& one : chosen) {
    const sal_Int32 index = indexOf(names, one);
    if (index < 0) return {{}, one};
    choice.printed[static_cast<std::size_t>(index)] = true;
  }
  return choice;
}

UsedRange usedRangeOf(const Reference<css::sheet::XSpreadsheet>& sheet) {
  const Reference<css::sheet::XUsedAreaCursor> cursor(sheet->createCursor(), UNO_QUERY_THROW);
  cursor->gotoStartOfUsedArea(false);
  cursor->gotoEndOfUsedArea(true);
  UsedRange used{Reference<css::sheet::XCellRangeAddressable>(cursor, UNO_QUERY_THROW)->getRangeAddress(), {}};
  Reference<css::beans::XPropertySet>(cursor, UNO_QUERY_THROW)->getPropertyValue("Size") >>= used.size;
  return used;
}

void setUpSheets(const Reference<css::lang::XComponent>& document, const JsonObject& request) {
  const Reference<css::sheet::XSpreadsheetDocument> spreadsheet(document, UNO_QUERY);
  if (!spreadsheet.is()) return;
  const std::string headings = request.text("headings", ""), grid = request.text("grid", "");
  const std::string orientation = request.text("page_orientation", "");
  const std::string fit = request.text("sheet_fit", "as_printed");
  const bool commentsFollow = request.text("comments", "") == "end";
  if (headings.empty() && grid.empty() && orientation.empty() && fit == "as_printed" && !commentsFollow) return;
  if (commentsFollow) readComments(spreadsheet);
  for (const Reference<css::beans::XPropertySet>& style : pageStylesOf(document)) {
    if (!headings.empty()) style->setPropertyValue("PrintHeaders", Any(headings == "true"));
    if (!grid.empty()) style->setPropertyValue("PrintGrid", Any(grid == "true"));
    if (!orientation.empty()) turn(style, orientation == "landscape");
    if (commentsFollow) style->setPropertyValue("PrintAnnotations", Any(true));
    if (fit == "as_printed") continue;
    style->setPropertyValue("ScaleToPagesX", Any(sal_Int16(1)));
    style->setPropertyValue("ScaleToPagesY", Any(sal_Int16(fit == "one_page" ? 1 : 0)));
  }
  if (fit == "one_page") makeRoom(spreadsheet);
}

}  // namespace zygote
