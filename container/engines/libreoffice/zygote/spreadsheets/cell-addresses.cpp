// Replaces the workbook's own path in formula results and in links.
#include "spreadsheets/cell-addresses.hpp"

#include <algorithm>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/sheet/CellFlags.hpp>
#include <com/sun/star/sheet/FormulaResult.hpp>
#include <com/sun/star/sheet/XCellRangeAddressable.hpp>
#include <com/sun/star/sheet/XCellRangeData.hpp>
#include <com/sun/star/sheet/XCellRangeFormula.hpp>
#include <com/sun/star/sheet/XCellRangesQuery.hpp>
#include <com/sun/star/sheet/XPrintAreas.hpp>
#include <com/sun/star/sheet/XSheetCellCursor.hpp>
#include <com/sun/star/sheet/XSheetCellRanges.hpp>
#include <com/sun/star/sheet/XSpreadsheet.hpp>
#include <com/sun/star/sheet/XUsedAreaCursor.hpp>
#include <com/sun/star/table/XCell.hpp>
#include <com/sun/star/table/XCellRange.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextContent.hpp>
#include <com/sun/star/text/XTextCursor.hpp>
#include <com/sun/star/text/XTextFieldsSupplier.hpp>
#include <rtl/uri.hxx>
#include <rtl/ustrbuf.hxx>

using css::beans::XPropertySet;
using css::sheet::XCellRangesQuery;
using css::table::XCell;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

using Address = css::table::CellRangeAddress;

constexpr char linkFunction[] = "=HYPERLINK(";
constexpr char cellFunction[] = "CELL(\"FILENAME\"";

OUString decoded(const OUString& url) {
  return rtl::Uri::decode(url, rtl_UriDecodeWithCharset, RTL_TEXTENCODING_UTF8);
}

OUString quoted(const OUString& text, const OUString& mark) {
  return mark + text.replaceAll(mark, mark + mark) + mark;
}

/** Returns the quoted text that starts at an index, as in `"a ""b"" c"`, and moves the index behind the text. */
OUString unquoted(const OUString& from, sal_Int32& at) {
  const sal_Unicode mark = from[at++];
  rtl::OUStringBuffer text;
  for (; at < from.getLength(); at++) {
    if (from[at] == mark && (++at == from.getLength() || from[at] != mark)) break;
    text.append(from[at]);
  }
  return text.makeStringAndClear();
}

/** Reports whether the last character closes the parenthesis that is open at an index. */
bool closesLast(const OUString& formula, sal_Int32 at) {
  for (int open = 1; at < formula.getLength();) {
    const sal_Unicode c = formula[at];
    if (c == '"' || c == '\'') {
      unquoted(formula, at);
      continue;
    }
    at++;
    if (c == '(') open++;
    if (c == ')' && --open == 0) return at == formula.getLength();
  }
  return false;
}

/** A workbook whose sheets are corrected one after the other. */
class Workbook {
 public:
  Workbook(const Reference<css::sheet::XSpreadsheetDocument>& document, const OUString& url, bool isOfExcel)
      : document_(document), sheets_(document->getSheets(), UNO_QUERY_THROW), isOfExcel_(isOfExcel), url_(url) {
    folder_ = url.copy(0, url.lastIndexOf('/') + 1);
    name_ = fileNameOf(url);
  }

  void correct() {
    for (const OUString& name : sheets_->getElementNames()) {
      sheet_ = name;
      cells_.set(sheets_->getByName(name), UNO_QUERY_THROW);
      const Reference<css::sheet::XCellRangesQuery> query(cells_, UNO_QUERY_THROW);
      // Numeric results cannot contain a path.
      forEach(query->queryFormulaCells(css::sheet::FormulaResult::STRING | css::sheet::FormulaResult::ERROR),
              &Workbook::correctFormulas);
      // Links count as rich text.
      forEach(query->queryContentCells(css::sheet::CellFlags::FORMATTED), &Workbook::correctLinks);
    }
  }

 private:
  void forEach(const Reference<css::sheet::XSheetCellRanges>& ranges,
               void (Workbook::*work)(const Reference<css::table::XCellRange>&, sal_Int32, sal_Int32)) {
    for (const Address& range : ranges->getRangeAddresses()) {
      (this->*work)(cells_->getCellRangeByPosition(range.StartColumn, range.StartRow, range.EndColumn, range.EndRow),
                    range.EndColumn - range.StartColumn, range.EndRow - range.StartRow);
    }
  }

  void correctFormulas(const Reference<css::table::XCellRange>& range, sal_Int32 lastColumn, sal_Int32 lastRow) {
    const auto formulas = Reference<css::sheet::XCellRangeFormula>(range, UNO_QUERY_THROW)->getFormulaArray();
    const auto results = Reference<css::sheet::XCellRangeData>(range, UNO_QUERY_THROW)->getDataArray();
    for (sal_Int32 row = 0; row <= lastRow; row++) {
      for (sal_Int32 column = 0; column <= lastColumn; column++) {
        OUString result;
        results[row][column] >>= result;
        correctFormula(range, column, row, formulas[row][column], result);
      }
    }
  }

  void correctFormula(const Reference<css::table::XCellRange>& range, sal_Int32 column, sal_Int32 row,
                      const OUString& formula, const OUString& result) {
    const OUString target = targetOf(formula);
    // LibreOffice cannot replace array formulas in a read-only document.
    const OUString named = isOfExcel_ && !formula.startsWith("{") ? withName(formula) : formula;
    const bool showsFolder = result.indexOf(folder_) >= 0;
    if (target.isEmpty() && named == formula && !showsFolder) return;
    const Reference<XCell> cell = range->getCellByPosition(column, row);
    if (!target.isEmpty()) {
      makeLink(cell, urlFor(target), result);
    } else if (named != formula) {
      cell->setFormula(named);
    } else {
      Reference<css::text::XText>(cell, UNO_QUERY_THROW)->setString(result.replaceAll(folder_, ""));
    }
  }

  /**
   * Returns the target of a formula that is only a link within this workbook, such as `Sheet!A1`, or an empty string.
   */
  OUString targetOf(const OUString& formula) const {
    sal_Int32 at = sizeof linkFunction - 1;
    if (!formula.startsWithIgnoreAsciiCase(linkFunction) || formula.getLength() == at || formula[at] != '"') return "";
    const OUString url = unquoted(formula, at);
    return url.startsWith("#") && closesLast(formula, at) ? url.copy(1) : OUString();
  }

  /**
   * Returns the URL for a reference within the workbook: `Sheet!A1` (Excel), `Sheet.A1` or a name. If the target is
   * printed, LibreOffice exports the URL as an internal link, otherwise as a link to a file with this fragment.
   */
  OUString urlFor(const OUString& reference) const {
    const sal_Int32 separator = std::max(reference.lastIndexOf('!'), reference.lastIndexOf('.'));
    if (separator <= 0) return "#" + reference;
    sal_Int32 start = reference[0] == '$' ? 1 : 0;
    const OUString name = reference[start] == '\'' ? unquoted(reference, start) : reference.copy(start, separator - start);
    if (!sheets_->hasByName(name)) return url_ + "#" + reference;
    const Reference<css::sheet::XSpreadsheet> sheet(sheets_->getByName(name), UNO_QUERY_THROW);
    bool isVisible = true;
    Reference<XPropertySet>(sheet, UNO_QUERY_THROW)->getPropertyValue("IsVisible") >>= isVisible;
    if (!isVisible) return url_ + "#" + reference;
    const OUString cell = reference.copy(separator + 1);
    // A link to a cell that is on no page leads to the first page of its sheet.
    return isPrinted(sheet, cell) ? "#" + quoted(name, "'") + "." + cell : "#" + name;
  }

  static bool isPrinted(const Reference<css::sheet::XSpreadsheet>& sheet, const OUString& cell) {
    try {
      const auto target = addressOf(sheet->getCellRangeByName(cell));
      const auto areas = Reference<css::sheet::XPrintAreas>(sheet, UNO_QUERY_THROW)->getPrintAreas();
      if (areas.hasElements()) {
        return std::any_of(areas.begin(), areas.end(), [&](const auto& area) { return isWithin(target, area); });
      }
      const Reference<css::sheet::XUsedAreaCursor> used(sheet->createCursor(), UNO_QUERY_THROW);
      used->gotoEndOfUsedArea(false);
      const auto end = addressOf(used);
      return target.StartColumn <= end.EndColumn && target.StartRow <= end.EndRow;
    } catch (const css::uno::RuntimeException&) {
      // Not a cell reference.
      return false;
    }
  }

  static Address addressOf(const Reference<css::uno::XInterface>& range) {
    return Reference<css::sheet::XCellRangeAddressable>(range, UNO_QUERY_THROW)->getRangeAddress();
  }

  static bool isWithin(const Address& target, const Address& area) {
    return target.StartColumn >= area.StartColumn && target.StartColumn <= area.EndColumn &&
           target.StartRow >= area.StartRow && target.StartRow <= area.EndRow;
  }

  void makeLink(const Reference<XCell>& cell, const OUString& url, const OUString& text) {
    const Reference<css::lang::XMultiServiceFactory> factory(document_, UNO_QUERY_THROW);
    const Reference<XPropertySet> field(factory->createInstance("com.sun.star.text.TextField.URL"), UNO_QUERY_THROW);
    field->setPropertyValue("URL", Any(url));
    field->setPropertyValue("Representation", Any(text));
    const Reference<css::text::XText> content(cell, UNO_QUERY_THROW);
    const Reference<css::text::XTextContent> link(field, UNO_QUERY_THROW);
    const Reference<css::text::XTextCursor> all = content->createTextCursor();
    all->gotoStart(false);
    all->gotoEnd(true);
    content->insertTextContent(Reference<css::text::XTextRange>(all, UNO_QUERY_THROW), link, true);
  }

  /**
   * Replaces CELL("filename") in a formula by Excel's result without the folder, such as `[Book.xlsx]Sheet1`. Formulas
   * written for Excel split this text at the bracket, which is missing from LibreOffice's result.
   */
  OUString withName(const OUString& formula) const {
    const OUString upper = formula.toAsciiUpperCase();
    rtl::OUStringBuffer named;
    sal_Int32 done = 0;
    for (sal_Int32 at; (at = upper.indexOf(cellFunction, done)) >= 0;) {
      const sal_Int32 start = at + static_cast<sal_Int32>(sizeof cellFunction) - 1;
      const sal_Int32 end = formula.indexOf(')', start);
      if (end < 0) break;
      const OUString result = quoted("[" + name_ + "]" + sheetOf(formula.copy(start, end - start)), "\"");
      named.append(formula.copy(done, at - done)).append(result);
      done = end + 1;
    }
    return named.append(formula.copy(done)).makeStringAndClear();
  }

  /** Returns the sheet that a reference in a formula names, as in `;$'Other sheet'.A1`, or the current sheet. */
  OUString sheetOf(const OUString& reference) const {
    const sal_Int32 dot = reference.indexOf('.');
    sal_Int32 start = 1;
    while (start < dot && (reference[start] == '$' || reference[start] == ' ')) start++;
    if (dot <= start) return sheet_;
    return reference[start] == '\'' ? unquoted(reference, start) : reference.copy(start, dot - start);
  }

  void correctLinks(const Reference<css::table::XCellRange>& range, sal_Int32 lastColumn, sal_Int32 lastRow) {
    for (sal_Int32 row = 0; row <= lastRow; row++) {
      for (sal_Int32 column = 0; column <= lastColumn; column++) {
        const Reference<css::text::XTextFieldsSupplier> cell(range->getCellByPosition(column, row), UNO_QUERY_THROW);
        const auto fields = cell->getTextFields()->createEnumeration();
        while (fields->hasMoreElements()) correctLink(Reference<XPropertySet>(fields->nextElement(), UNO_QUERY_THROW));
      }
    }
  }

  void correctLink(const Reference<XPropertySet>& field) {
    if (!field->getPropertySetInfo()->hasPropertyByName("URL")) return;
    OUString url;
    field->getPropertyValue("URL") >>= url;
    const sal_Int32 hash = url.indexOf('#');
    if (hash < 0 || (hash > 0 && decoded(url.copy(0, hash)) != decoded(url_))) return;
    const OUString within = urlFor(decoded(url.copy(hash + 1)));
    if (within != url) field->setPropertyValue("URL", Any(within));
  }

  Reference<css::sheet::XSpreadsheetDocument> document_;
  Reference<css::container::XNameAccess> sheets_;
  bool isOfExcel_;
  OUString url_;
  OUString folder_;
  OUString name_;
  /** Name of the sheet that is being corrected. */
  OUString sheet_;
  Reference<css::table::XCellRange> cells_;
};

}  // namespace

OUString fileNameOf(const OUString& url) { return decoded(url.copy(url.lastIndexOf('/') + 1)); }

void correctCells(const Reference<css::sheet::XSpreadsheetDocument>& workbook, const OUString& url, bool isOfExcel) {
  Workbook(workbook, url, isOfExcel).correct();
}

}  // namespace zygote
