// Keeps content out of the PDF that its author has hidden.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>

#include "spreadsheets/workbook.hpp"

namespace zygote {

/**
 * Removes hidden content that LibreOffice would print: sheets with print ranges, the active sheet of a workbook,
 * scenarios, shapes for screens only, and texts in hidden shapes.
 * @param workbook data read from the file, if it is an Office Open XML workbook
 */
void keepHidden(const css::uno::Reference<css::lang::XComponent>& document, const Workbook* workbook);

}  // namespace zygote
