// Calculates formulas. Formulas that LibreOffice cannot calculate keep their saved values.
#include "spreadsheets/sheets.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/sheet/CellFlags.hpp>
#include <com/sun/star/sheet/FormulaLanguage.hpp>
#include <com/sun/star/sheet/FormulaMapGroup.hpp>
#include <com/sun/star/sheet/FormulaMapGroupSpecialOffset.hpp>
#include <com/sun/star/sheet/FormulaResult.hpp>
#include <com/sun/star/sheet/NameToken.hpp>
#include <com/sun/star/sheet/XArrayFormulaRange.hpp>
#include <com/sun/star/sheet/XCalculatable.hpp>
#include <com/sun/star/sheet/XCellRangeAddressable.hpp>
#include <com/sun/star/sheet/XCellRangesQuery.hpp>
#include <com/sun/star/sheet/XFormulaOpCodeMapper.hpp>
#include <com/sun/star/sheet/XFormulaTokens.hpp>
#include <com/sun/star/sheet/XSheetCellRanges.hpp>
#include <com/sun/star/sheet/XSheetCellCursor.hpp>
#include <com/sun/star/sheet/XSpreadsheet.hpp>
#include <com/sun/star/text/XTextRange.hpp>

using css::container::XIndexAccess;
using css::sheet::XSpreadsheet;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/**
 * Numbers of errors that LibreOffice causes, not the workbook: `#NAME?` for an unknown function, and content of another
 * file, which LibreOffice must not load.
 */
constexpr sal_Int32 errorsOfEngine[] = {525, 540};

/** Functions whose value depends on the computer: the file's path, or external data. */
constexpr const char* placeFunctions[] = {"CELL", "INFO", "WEBSERVICE", "DDE"};

/**
 * Error values of the standard (ISO/IEC 29500-1, 18.17.3), for which LibreOffice has constants. Newer values such as
 * `#SPILL!` become text.
 */
constexpr const char* errors[] = {"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"};

OUString wide(const std::string& text) {
  return OUString(text.data(), static_cast<sal_Int32>(text.size()), RTL_TEXTENCODING_UTF8);
}

/** Detects formulas that LibreOffice cannot calculate. */
class KnownFormulas final {
 public:
  explicit KnownFormulas(const Reference<css::sheet::XSpreadsheetDocument>& document) {
    const Reference<css::lang::XMultiServiceFactory> factory(document, UNO_QUERY_THROW);
    const Reference<css::sheet::XFormulaOpCodeMapper> mapper(
        factory->createInstance("com.sun.star.sheet.FormulaOpCodeMapper"), UNO_QUERY_THROW);
    using css::sheet::FormulaLanguage::ENGLISH;
    namespace offset = css::sheet::FormulaMapGroupSpecialOffset;
    const auto special = mapper->getAvailableMappings(ENGLISH, css::sheet::FormulaMapGroup::SPECIAL);
    unknown_ = {special[offset::BAD].Token.OpCode, special[offset::NO_NAME].Token.OpCode,
                special[offset::MACRO].Token.OpCode};
    name_ = special[offset::NAME].Token.OpCode;
    css::uno::Sequence<OUString> names(static_cast<sal_Int32>(std::size(placeFunctions)));
    for (std::size_t at = 0; at < std::size(placeFunctions); at++)
      names.getArray()[at] = OUString::createFromAscii(placeFunctions[at]);
    for (const auto& token : mapper->getMappings(names, ENGLISH)) unknown_.insert(token.OpCode);
    addNames(Reference<css::beans::XPropertySet>(document, UNO_QUERY_THROW), -1);
    const Reference<XIndexAccess> sheets(document->getSheets(), UNO_QUERY_THROW);
    for (sal_Int32 index = 0; index < sheets->getCount(); index++)
      addNames(Reference<css::beans::XPropertySet>(sheets->getByIndex(index), UNO_QUERY_THROW), index);
  }

  bool includes(const Reference<css::sheet::XFormulaTokens>& formula) const {
    const auto tokens = formula->getTokens();
    for (sal_Int32 at = 0; at < tokens.getLength(); at++) {
      const css::sheet::FormulaToken& token = tokens[at];
      if (unknown_.count(token.OpCode) != 0 && !isFileName(tokens, at)) return false;
      css::sheet::NameToken name;
      if (token.OpCode == name_ && (token.Data >>= name) && names_.count({name.Sheet, name.Index}) != 0) return false;
    }
    return true;
  }

 private:
  /** Reports whether a call of CELL requests the file name. cell-addresses.cpp inserts that result. */
  static bool isFileName(const css::uno::Sequence<css::sheet::FormulaToken>& tokens, sal_Int32 call) {
    OUString wanted;
    return call + 2 < tokens.getLength() && (tokens[call + 2].Data >>= wanted) && wanted.equalsIgnoreAsciiCase("filename");
  }

  /** Collects the names that refer to an unsupported formula. @param sheet -1 for names of the whole document */
  void addNames(const Reference<css::beans::XPropertySet>& owner, sal_Int32 sheet) {
    const Reference<XIndexAccess> names(owner->getPropertyValue("NamedRanges"), UNO_QUERY_THROW);
    for (sal_Int32 at = 0; at < names->getCount(); at++) {
      const Reference<css::beans::XPropertySet> name(names->getByIndex(at), UNO_QUERY_THROW);
      if (includes(Reference<css::sheet::XFormulaTokens>(name, UNO_QUERY_THROW))) continue;
      sal_Int32 index = 0;
      name->getPropertyValue("TokenIndex") >>= index;
      names_.insert({sheet, index});
    }
  }

  std::set<sal_Int32> unknown_;
  sal_Int32 name_ = 0;
  std::set<std::pair<sal_Int32, sal_Int32>> names_;
};

/** Replaces formulas of one sheet by their saved values. */
class SheetValues final {
 public:
  explicit SheetValues(const Reference<XSpreadsheet>& sheet) : sheet_(sheet) {}

  void add(const Reference<css::table::XCell>& cell) {
    const css::table::CellRangeAddress range = rangeOf(cell);
    ranges_.push_back(range);
    for (sal_Int32 row = range.StartRow; row <= range.EndRow; row++)
      for (sal_Int32 column = range.StartColumn; column <= range.EndColumn; column++) values_[{column, row}] = {};
  }

  void keep(const Workbook& workbook, sal_Int32 index) {
    if (values_.empty()) return;
    workbook.readValues(index, values_);
    for (const css::table::CellRangeAddress& range : ranges_) keep(range);
  }

 private:
  /** Returns the cells that share a cell's formula: more than one if it is an array formula. */
  css::table::CellRangeAddress rangeOf(const Reference<css::table::XCell>& cell) const {
    Reference<css::sheet::XSheetCellRange> range(cell, UNO_QUERY_THROW);
    if (!Reference<css::sheet::XArrayFormulaRange>(cell, UNO_QUERY_THROW)->getArrayFormula().isEmpty()) {
      const Reference<css::sheet::XSheetCellCursor> cursor = sheet_->createCursorByRange(range);
      cursor->collapseToCurrentArray();
      range.set(cursor, UNO_QUERY_THROW);
    }
    return Reference<css::sheet::XCellRangeAddressable>(range, UNO_QUERY_THROW)->getRangeAddress();
  }

  void keep(const css::table::CellRangeAddress& range) {
    // Does not replace a formula whose first cell has no saved value or has `#NAME?`: it shows the same error as in
    // Excel.
    const SavedValue& first = values_[{range.StartColumn, range.StartRow}];
    if (first.text.empty() && first.type != "str") return;
    if (first.type == "e" && first.text == "#NAME?") return;
    const Reference<css::table::XCellRange> cells =
        sheet_->getCellRangeByPosition(range.StartColumn, range.StartRow, range.EndColumn, range.EndRow);
    const Reference<css::sheet::XArrayFormulaRange> array(cells, UNO_QUERY_THROW);
    if (!array->getArrayFormula().isEmpty()) array->setArrayFormula(OUString());
    for (sal_Int32 row = range.StartRow; row <= range.EndRow; row++)
      for (sal_Int32 column = range.StartColumn; column <= range.EndColumn; column++)
        set(sheet_->getCellByPosition(column, row), values_[{column, row}]);
  }

  static void set(const Reference<css::table::XCell>& cell, const SavedValue& value) {
    const OUString text = wide(value.text);
    if (value.type == "b") {
      cell->setFormula(value.text == "0" ? OUString("=FALSE()") : OUString("=TRUE()"));
    } else if (value.type == "e" && std::count(std::begin(errors), std::end(errors), value.text) != 0) {
      cell->setFormula("=" + text);
    } else if (value.type.empty() || value.type == "n") {
      cell->setValue(text.toDouble());
    } else {
      Reference<css::text::XTextRange>(cell, UNO_QUERY_THROW)->setString(text);
    }
  }

  Reference<XSpreadsheet> sheet_;
  std::vector<css::table::CellRangeAddress> ranges_;
  SavedValues values_;
};

}  // namespace

void mendFormulas(const Reference<css::sheet::XSpreadsheetDocument>& document, const Workbook& workbook) {
  const Reference<XIndexAccess> sheets(document->getSheets(), UNO_QUERY_THROW);
  const sal_Int32 count = std::min(sheets->getCount(), workbook.sheetCount());
  const KnownFormulas known(document);
  const auto keepWhere = [&](const auto& cellsOf, const auto& isUnknown) {
    for (sal_Int32 index = 0; index < count; index++) {
      const Reference<XSpreadsheet> sheet(sheets->getByIndex(index), UNO_QUERY_THROW);
      const Reference<css::sheet::XSheetCellRanges> found =
          cellsOf(Reference<css::sheet::XCellRangesQuery>(sheet, UNO_QUERY_THROW));
      SheetValues values(sheet);
      for (const auto cells = found->getCells()->createEnumeration(); cells->hasMoreElements();) {
        const Reference<css::table::XCell> cell(cells->nextElement(), UNO_QUERY_THROW);
        if (isUnknown(cell)) values.add(cell);
      }
      values.keep(workbook, index);
    }
  };
  using css::sheet::XCellRangesQuery;
  keepWhere([](const Reference<XCellRangesQuery>& sheet) {
    return sheet->queryContentCells(css::sheet::CellFlags::FORMULA);
  }, [&](const Reference<css::table::XCell>& cell) {
    return !known.includes(Reference<css::sheet::XFormulaTokens>(cell, UNO_QUERY_THROW));
  });
  if (workbook.wantsCalculation()) Reference<css::sheet::XCalculatable>(document, UNO_QUERY_THROW)->calculateAll();
  keepWhere([](const Reference<XCellRangesQuery>& sheet) {
    return sheet->queryFormulaCells(css::sheet::FormulaResult::ERROR);
  }, [](const Reference<css::table::XCell>& cell) {
    return std::count(std::begin(errorsOfEngine), std::end(errorsOfEngine), cell->getError()) != 0;
  });
}

}  // namespace zygote
