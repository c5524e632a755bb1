// Lists the fonts that LibreOffice replaced in the text of an export.
#pragma once

#include <string>

#include <com/sun/star/uno/XComponentContext.hpp>

namespace zygote {

/** Starts recording the fonts of text. */
void recordFonts(const css::uno::Reference<css::uno::XComponentContext>& context);

/**
 * Stops recording.
 * @returns the list of replaced families and the fonts of each style that replaced them (font-list.hpp)
 */
std::string replacedFonts(const css::uno::Reference<css::uno::XComponentContext>& context);

}  // namespace zygote
