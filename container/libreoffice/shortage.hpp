// What happens to a process that is refused memory, or room in a file.
#pragma once

#include <functional>

namespace zygote {

/**
 * From here on, this process ends when `new` or mmap(2) is refused memory, or a file may not grow. LibreOffice would go
 * on with what it has: a PDF that lacks pictures or the widths of glyphs, a document taken for damaged.
 * @param lastWords told what was refused; must not allocate more than a little
 */
void endWhenRefused(std::function<void(const char*)> lastWords);

}  // namespace zygote
