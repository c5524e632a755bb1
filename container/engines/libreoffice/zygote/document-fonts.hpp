// Lists the fonts that LibreOffice replaced in the text of an export.
#pragma once

#include <string>

#include <com/sun/star/uno/XComponentContext.hpp>

namespace zygote {

/**
 * Adds the font files of a folder to the fonts of this process, with precedence over installed fonts of the same names.
 * LibreOffice leaves out a file that it cannot read. Without the folder, nothing happens.
 * @param library LibreOffice's main library
 */
void addFonts(const std::string& folder, void* library);

/** Starts recording the fonts of text. */
void recordFonts(const css::uno::Reference<css::uno::XComponentContext>& context);

/**
 * Stops recording.
 * @returns the list of replaced families and the fonts of each style that replaced them (font-list.hpp)
 */
std::string replacedFonts(const css::uno::Reference<css::uno::XComponentContext>& context);

}  // namespace zygote
