// Reads how the tables of a Word document are laid out, which LibreOffice does not keep after the import.
#pragma once

#include <com/sun/star/uno/XComponentContext.hpp>

#include <string>
#include <vector>

namespace css = com::sun::star;

namespace zygote {

/** Preferred width of a table or a cell (ISO/IEC 29500-1, 17.4.63 and 17.4.71). */
struct StatedWidth {
  /** Twips, or 1/50 % of the room. 0 if the file states no width. */
  sal_Int32 value = 0;
  bool isShare = false;
};

struct CellLayout {
  /** Columns of the grid that the cell spans. */
  sal_Int32 span = 1;
  StatedWidth width;
};

/** A table of the body that is not inside another table or a shape. Lengths in twips. */
struct TableLayout {
  bool isFixed = false;
  /** True if it floats, or has rows that begin after the first column or end before the last one. */
  bool isUnusual = false;
  bool hasTables = false;
  /** True if Word saved the table: its grid is the result of Word's layout. */
  bool isOfWord = false;
  StatedWidth width;
  /** Width of the column of text around the table. */
  sal_Int32 room = 0;
  std::vector<sal_Int32> grid;
  std::vector<std::vector<CellLayout>> rows;
  std::string firstText;
};

struct DocumentLayout {
  /** Version of Word whose layout the document requests: 15 for Word 2013 and later. 12 if it requests none. */
  sal_Int32 compatibilityMode = 12;
  /** In document order. */
  std::vector<TableLayout> tables;
};

/** @param url of a package with WordprocessingML @throws css::uno::Exception if it is not such a package */
DocumentLayout documentLayoutOf(const css::uno::Reference<css::uno::XComponentContext>& context,
                                const rtl::OUString& url);

}  // namespace zygote
