// Fits row heights to the text, as Excel does for rows without a declared height.
#include "spreadsheets/sheets.hpp"

#include <algorithm>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/sheet/XSheetCellRanges.hpp>
#include <com/sun/star/sheet/XSpreadsheet.hpp>
#include <com/sun/star/sheet/XUniqueCellFormatRangesSupplier.hpp>
#include <com/sun/star/table/CellOrientation.hpp>
#include <com/sun/star/table/XColumnRowRange.hpp>

using css::beans::XPropertySet;
using css::container::XIndexAccess;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY_THROW;

namespace zygote {
namespace {

/**
 * Growth in percent up to which a row of wrapped text keeps its height. A substituted font can make one line up to a
 * fifth higher than in Excel; a second line adds far more.
 */
constexpr sal_Int64 toleratedPercent = 22;

/** A row can grow if its font is larger than the default font by more than this many points. */
constexpr float largerPoints = 0.75F;

/**
 * Maximum number of steps per sheet, about one second. LibreOffice recounts the page breaks before all rows whenever
 * some rows change, so each change takes as many steps as there are rows.
 */
constexpr sal_Int64 mostSteps = 100'000'000;

template <class Value>
Value valueOf(const Reference<XPropertySet>& object, const char* name) {
  Value value{};
  object->getPropertyValue(rtl::OUString::createFromAscii(name)) >>= value;
  return value;
}

std::vector<Rows> joined(std::vector<Rows> rows) {
  std::sort(rows.begin(), rows.end());
  std::vector<Rows> result;
  for (const Rows& next : rows) {
    if (result.empty() || next.first > result.back().second + 1) result.push_back(next);
    else result.back().second = std::max(result.back().second, next.second);
  }
  return result;
}

/** Returns the rows that are in both lists; both are in order. */
std::vector<Rows> common(const std::vector<Rows>& some, const std::vector<Rows>& others) {
  std::vector<Rows> result;
  for (auto one = some.begin(), other = others.begin(); one != some.end() && other != others.end();) {
    const Rows both(std::max(one->first, other->first), std::min(one->second, other->second));
    if (both.first <= both.second) result.push_back(both);
    if (one->second < other->second) ++one;
    else ++other;
  }
  return result;
}

class RowHeights final {
 public:
  /** @param open rows whose height can change */
  RowHeights(const Reference<css::sheet::XSpreadsheet>& sheet, std::vector<Rows> open)
      : sheet_(sheet), open_(std::move(open)) {
    const Reference<XIndexAccess> rows(rowsOf(open_.front()), UNO_QUERY_THROW);
    height_ = valueOf<sal_Int32>(Reference<XPropertySet>(rows->getByIndex(0), UNO_QUERY_THROW), "Height");
  }

  void fit(float defaultPoints) {
    std::vector<Rows> wrapped, large;
    const Reference<css::sheet::XUniqueCellFormatRangesSupplier> supplier(sheet_, UNO_QUERY_THROW);
    const Reference<XIndexAccess> formats = supplier->getUniqueCellFormatRanges();
    for (sal_Int32 at = 0; at < formats->getCount(); at++) {
      const Reference<XPropertySet> format(formats->getByIndex(at), UNO_QUERY_THROW);
      const bool isTurned = valueOf<sal_Int32>(format, "RotateAngle") != 0 ||
                            valueOf<css::table::CellOrientation>(format, "Orientation") !=
                                css::table::CellOrientation_STANDARD;
      const bool isLarge = isTurned || valueOf<float>(format, "CharHeight") > defaultPoints + largerPoints;
      if (!isLarge && !valueOf<bool>(format, "IsTextWrapped")) continue;
      const Reference<css::sheet::XSheetCellRanges> ranges(format, UNO_QUERY_THROW);
      for (const auto& range : ranges->getRangeAddresses())
        (isLarge ? large : wrapped).emplace_back(range.StartRow, range.EndRow);
    }
    fit(common(joined(wrapped), open_), toleratedPercent);
    fit(common(joined(large), open_), 0);
  }

 private:
  void fit(const std::vector<Rows>& runs, sal_Int64 tolerated) {
    // If there are too many runs, fits all open rows in one step. Fitting the additional rows is harmless.
    if (!hasTimeFor(static_cast<sal_Int64>(runs.size()))) {
      for (const Rows& rows : open_) setOptimal(rows);
      return;
    }
    for (const Rows& rows : runs) {
      setOptimal(rows);
      restoreWhere(rows, tolerated);
    }
  }

  bool hasTimeFor(sal_Int64 calls) {
    steps_ += calls * open_.back().second;
    return steps_ <= mostSteps;
  }

  void setOptimal(const Rows& rows) const {
    Reference<XPropertySet>(rowsOf(rows), UNO_QUERY_THROW)->setPropertyValue("OptimalHeight", Any(true));
  }

  /** Restores the height of rows that became lower, or higher only within the tolerance. */
  void restoreWhere(const Rows& rows, sal_Int64 tolerated) {
    const Reference<XIndexAccess> each(rowsOf(rows), UNO_QUERY_THROW);
    std::vector<Rows> restored;
    for (sal_Int32 at = 0; at <= rows.second - rows.first; at++) {
      const Reference<XPropertySet> row(each->getByIndex(at), UNO_QUERY_THROW);
      if (valueOf<sal_Int32>(row, "Height") * sal_Int64(100) > height_ * (100 + tolerated)) continue;
      restored.emplace_back(rows.first + at, rows.first + at);
    }
    restored = joined(restored);
    if (!hasTimeFor(static_cast<sal_Int64>(restored.size()))) return;
    for (const Rows& run : restored)
      Reference<XPropertySet>(rowsOf(run), UNO_QUERY_THROW)->setPropertyValue("Height", Any(height_));
  }

  Reference<css::table::XTableRows> rowsOf(const Rows& rows) const {
    return Reference<css::table::XColumnRowRange>(sheet_->getCellRangeByPosition(0, rows.first, 0, rows.second),
                                                  UNO_QUERY_THROW)
        ->getRows();
  }

  Reference<css::sheet::XSpreadsheet> sheet_;
  std::vector<Rows> open_;
  /** Common height of all open rows, in 1/100 mm. */
  sal_Int32 height_ = 0;
  sal_Int64 steps_ = 0;
};

}  // namespace

void mendRowHeights(const Reference<css::sheet::XSpreadsheetDocument>& document, const Workbook& workbook) {
  const Reference<XIndexAccess> sheets(document->getSheets(), UNO_QUERY_THROW);
  const Reference<css::lang::XMultiServiceFactory> factory(document, UNO_QUERY_THROW);
  // Row heights of a document that was loaded read-only cannot change until this property is set.
  Reference<XPropertySet>(document, UNO_QUERY_THROW)->setPropertyValue("IsChangeReadOnlyEnabled", Any(true));
  const Reference<XPropertySet> defaults(factory->createInstance("com.sun.star.sheet.Defaults"), UNO_QUERY_THROW);
  for (sal_Int32 index = 0; index < std::min(sheets->getCount(), workbook.sheetCount()); index++) {
    const Reference<css::sheet::XSpreadsheet> sheet(sheets->getByIndex(index), UNO_QUERY_THROW);
    const Rows all(0, Reference<css::table::XColumnRowRange>(sheet, UNO_QUERY_THROW)->getRows()->getCount() - 1);
    std::vector<Rows> open = common(workbook.openRowsOf(index), {all});
    if (!open.empty()) RowHeights(sheet, std::move(open)).fit(valueOf<float>(defaults, "CharHeight"));
  }
}

}  // namespace zygote
