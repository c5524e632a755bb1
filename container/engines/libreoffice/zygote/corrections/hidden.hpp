// Keeps content out of the PDF that its author has hidden.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>

#include "spreadsheets/workbook.hpp"

namespace zygote {

/**
 * Removes what LibreOffice would print though the author has hidden it: sheets with print ranges, the active sheet of a
 * workbook, scenarios, shapes for screens only, and texts in shapes that are hidden.
 * @param workbook what the file says, if it is an Office Open XML workbook
 */
void keepHidden(const css::uno::Reference<css::lang::XComponent>& document, const Workbook* workbook);

}  // namespace zygote
