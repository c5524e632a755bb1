#include <algorithm>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/sheet/XSheetAnnotation.hpp>
#include <com/sun/star/sheet/XSheetAnnotationsSupplier.hpp>
#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>

#include "corrections/mending.hpp"
#include "options/options.hpp"

using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

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

void turn(const Reference<css::beans::XPropertySet>& style, bool landscape) {
  sal_Int32 width = 0, height = 0;
  style->getPropertyValue("Width") >>= width;
  style->getPropertyValue("Height") >>= height;
  style->setPropertyValue("IsLandscape", Any(landscape));
  if ((width > height) == landscape) return;
  style->setPropertyValue("Width", Any(height));
  style->setPropertyValue("Height", Any(width));
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
}

}  // namespace zygote
