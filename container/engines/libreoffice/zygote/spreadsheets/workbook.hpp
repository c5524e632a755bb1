// Reads data of an Office Open XML workbook (ISO/IEC 29500-1, 18) that LibreOffice does not import.
#pragma once

#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/uno/XComponentContext.hpp>
#include <rtl/ustring.hxx>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spreadsheets/markup.hpp"

namespace zygote {

/**
 * Saved value of a cell: its type (`n`, `str`, `b`, `e`, …; ISO/IEC 29500-1, 18.18.11), and its text, which can be
 * empty.
 */
struct SavedValue {
  std::string type;
  std::string text;
};

/** Position of a cell. Column and row start at 0. */
struct Place {
  sal_Int32 column;
  sal_Int32 row;

  bool operator==(const Place& other) const { return column == other.column && row == other.row; }
};

struct HashOfPlace {
  std::size_t operator()(const Place& place) const {
    return static_cast<std::size_t>(place.row) << 14 ^ static_cast<std::size_t>(place.column);
  }
};

using SavedValues = std::unordered_map<Place, SavedValue, HashOfPlace>;

/** First and last row, starting at 0. */
using Rows = std::pair<sal_Int32, sal_Int32>;

class Workbook final {
 public:
  /** @param url of a package. @throws css::uno::Exception if the file is not a package */
  Workbook(const css::uno::Reference<css::uno::XComponentContext>& context, const rtl::OUString& url);

  /** Reports whether the file requires its formulas to be calculated on opening (ISO/IEC 29500-1, 18.2.2, calcPr). */
  bool wantsCalculation() const { return wantsCalculation_; }
  /** Number of sheets, in the order of LibreOffice's model. */
  sal_Int32 sheetCount() const { return static_cast<sal_Int32>(sheets_.size()); }
  /** Reports whether the sheet with a name is hidden. LibreOffice shows a hidden sheet if it is the active one. */
  bool isHidden(const std::string& name) const { return hidden_.count(name) != 0; }
  /**
   * By shape name, whether each shape with this name is printed, in document order (ISO/IEC 29500-1, 20.5.2.3,
   * fPrintsWithSheet).
   */
  using Printed = std::unordered_map<std::string, std::vector<bool>>;
  Printed printedShapesOf(sal_Int32 sheet) const;
  /** Fills in the saved values of the cells in `values`. Skips shared strings, which formula cells never have. */
  void readValues(sal_Int32 sheet, SavedValues& values) const;
  /** Returns the visible rows that have cells and no declared height. */
  std::vector<Rows> openRowsOf(sal_Int32 sheet) const;

 private:
  const std::string& partOf(sal_Int32 sheet) const { return sheets_.at(static_cast<std::size_t>(sheet)); }
  MarkupReader part(const std::string& name) const;
  /**
   * Returns the names of the parts that a part's relationships refer to, both by identifier and by the type's last
   * word.
   */
  std::unordered_map<std::string, std::string> targetsOf(const std::string& part) const;

  css::uno::Reference<css::container::XNameAccess> package_;
  std::vector<std::string> sheets_;
  std::unordered_set<std::string> hidden_;
  bool wantsCalculation_ = false;
};

}  // namespace zygote
