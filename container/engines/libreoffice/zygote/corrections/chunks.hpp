// Inserts documents of other formats into a loaded text.
#pragma once

#include <string>

#include <com/sun/star/lang/XComponent.hpp>

namespace zygote {

/**
 * Inserts files at the bookmarks that have their names. In the folder, each file name has a leading dot.
 * @param names separated by spaces; the extension of each determines its format
 * @returns an empty string, or the name of a file that cannot be inserted
 */
std::string insertChunks(const css::uno::Reference<css::lang::XComponent>& document, const std::string& folder,
                         const std::string& names);

}  // namespace zygote
