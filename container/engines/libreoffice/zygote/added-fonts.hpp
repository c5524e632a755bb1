// The fonts that a client sends with a document.
#pragma once

#include <string>

namespace zygote {

/**
 * Adds the font files of a folder to the fonts of this process, with precedence over installed fonts of the same names.
 * LibreOffice leaves out a file that it cannot read. Without the folder, nothing happens.
 * @param library LibreOffice's main library
 */
void addFonts(const std::string& folder, void* library);

}  // namespace zygote
