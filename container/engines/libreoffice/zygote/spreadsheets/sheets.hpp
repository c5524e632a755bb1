// Corrects imported spreadsheets where LibreOffice shows something other than Excel does.
#pragma once

#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>

#include "spreadsheets/workbook.hpp"

namespace zygote {

/**
 * Calculates all formulas if the workbook asks for it. Cells with a formula that LibreOffice does not know become the
 * value that was saved, for others depend on them.
 */
void mendFormulas(const css::uno::Reference<css::sheet::XSpreadsheetDocument>& document, const Workbook& workbook);

/** Makes rows high enough for their text where the workbook leaves their height open. */
void mendRowHeights(const css::uno::Reference<css::sheet::XSpreadsheetDocument>& document, const Workbook& workbook);

}  // namespace zygote
