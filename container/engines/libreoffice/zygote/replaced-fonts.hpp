// Lists the fonts that LibreOffice replaced in the text of an export.
#pragma once

#include <string>

#include <com/sun/star/uno/XComponentContext.hpp>

namespace zygote {

/** Starts recording the fonts of text. */
void recordFonts(const css::uno::Reference<css::uno::XComponentContext>& context);

/**
 * Stops recording.
 * @returns the number of replaced families, then a line for each, such as `Carlito for Calibri`, as many as fit into
 *   an outcome; an empty string if none was replaced
 */
std::string replacedFonts(const css::uno::Reference<css::uno::XComponentContext>& context);

}  // namespace zygote
