// Corrects imported spreadsheets where LibreOffice shows them otherwise than Excel.
#pragma once

#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>

#include "spreadsheets/workbook.hpp"

namespace zygote {

/**
 * Calculates all formulas if the workbook requires it. Replaces formulas that LibreOffice does not support by their
 * saved values, because other formulas depend on them.
 */
void mendFormulas(const css::uno::Reference<css::sheet::XSpreadsheetDocument>& document, const Workbook& workbook);

/** Makes rows without a declared height high enough for their text. */
void mendRowHeights(const css::uno::Reference<css::sheet::XSpreadsheetDocument>& document, const Workbook& workbook);

}  // namespace zygote
