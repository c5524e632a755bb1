// Handles exceeded limits of memory and file size.
#pragma once

#include <cstddef>
#include <functional>

#include "job.hpp"

namespace zygote {

/**
 * Makes this process end when `new` is refused memory, or when {@link refused} is called. Otherwise, an engine would
 * continue with incomplete data: a PDF without images or glyph widths, or a document that it treats as damaged. A
 * request for more than half of the maximum at once is attributed to a wrong length, and fails without ending the
 * process.
 * @param memoryBytes the maximum
 * @param lastWords called with the status and what was refused; must not allocate more than a little
 */
void endWhenRefused(std::int64_t memoryBytes, std::function<void(Status, const char*)> lastWords);

/** Ends this process if {@link endWhenRefused} has been called. For functions that an engine's own file replaces. */
void refused(Status status, const char* what);

/**
 * Records what this thread was just refused, for the `new` that fails next. Called by functions that replace malloc(3).
 */
void noteRefusal(std::size_t bytes);

/** Reports whether a request for so much memory at once is not a wrong length. */
bool isPlausible(std::size_t bytes);

}  // namespace zygote
