// Prevents cells from showing the path under which the workbook was opened.
#pragma once

#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>
#include <rtl/ustring.hxx>

namespace css = com::sun::star;

namespace zygote {

/** Returns the unescaped file name in a URL. */
rtl::OUString fileNameOf(const rtl::OUString& url);

/**
 * Replaces the path in formula results, and converts links within the workbook to a form that LibreOffice resolves.
 * @param url of the workbook
 * @param isOfExcel true if the workbook's formulas expect the function results of Excel
 */
void correctCells(const css::uno::Reference<css::sheet::XSpreadsheetDocument>& workbook, const rtl::OUString& url,
                  bool isOfExcel);

}  // namespace zygote
