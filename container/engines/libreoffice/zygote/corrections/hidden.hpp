// Keeps content that its author has hidden out of the PDF.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>

#include <vector>

#include "spreadsheets/workbook.hpp"

namespace zygote {

/**
 * Removes hidden content that LibreOffice would print: hidden sheets with print ranges, a hidden active sheet,
 * scenarios, shapes that are only for screens, and texts in hidden shapes.
 * @param workbook data read from the file, if it is an Office Open XML workbook
 * @param printed for each sheet, whether it is printed, even if it is hidden; if empty, all sheets that are not hidden
 */
void keepHidden(const css::uno::Reference<css::lang::XComponent>& document, const Workbook* workbook,
                const std::vector<bool>& printed);

}  // namespace zygote
