// What happens to a process that is refused memory, or room in a file.
#pragma once

#include <functional>

#include "job.hpp"

namespace zygote {

/**
 * From here on, this process ends when `new` is refused memory, or {@link refused} is called. An engine would go on with
 * what it has: a PDF that lacks pictures or the widths of glyphs, a document taken for damaged.
 * @param lastWords told how this ends and what was refused; must not allocate more than a little
 */
void endWhenRefused(std::function<void(Status, const char*)> lastWords);

/** Ends this process if {@link endWhenRefused} has been called. For the functions that an engine's own file stands in for. */
void refused(Status status, const char* what);

}  // namespace zygote
