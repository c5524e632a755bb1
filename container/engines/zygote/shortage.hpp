// What happens to a process that is refused memory, or room in a file.
#pragma once

#include <cstddef>
#include <functional>

#include "job.hpp"

namespace zygote {

/**
 * From here on, this process ends when `new` is refused memory, or {@link refused} is called. An engine would go on with
 * what it has: a PDF that lacks pictures or the widths of glyphs, a document taken for damaged. Who wants more at once than
 * half of what there could be has read a wrong length, and is refused it without an end.
 * @param memoryBytes what there could be
 * @param lastWords told how this ends and what was refused; must not allocate more than a little
 */
void endWhenRefused(std::int64_t memoryBytes, std::function<void(Status, const char*)> lastWords);

/** Ends this process if {@link endWhenRefused} has been called. For the functions that an engine's own file stands in for. */
void refused(Status status, const char* what);

/** What this thread was just refused, for the `new` that will hear of it. Told by functions that stand in for malloc(3). */
void noteRefusal(std::size_t bytes);

/** Whether so much memory at once is not a wrong length. */
bool isPlausible(std::size_t bytes);

}  // namespace zygote
