// Handles exceeded limits of memory and file size.
#pragma once

#include <cstddef>
#include <functional>

#include "job.hpp"

namespace zygote {

/**
 * From now on, this process ends when `new` fails or {@link refused} is called. Otherwise, an engine would continue
 * with incomplete data: a PDF without images or glyph widths, or a document that seems damaged. Requests for more than
 * half of the maximum are exempt, because they come from a wrong length in a document: they fail without ending the
 * process.
 * @param memoryBytes the maximum
 * @param lastWords called with the status and the refused resource; must allocate little memory
 */
void endWhenRefused(std::int64_t memoryBytes, std::function<void(Status, const char*)> lastWords);

/** Ends this process, if {@link endWhenRefused} has been called. For the functions in an engine's refusals.cpp. */
void refused(Status status, const char* what);

/**
 * Records the size that this thread was just refused, for the failure of `new` that follows. Called by replacements of
 * malloc(3).
 */
void noteRefusal(std::size_t bytes);

/** Reports whether a request for this many bytes is plausible. A larger one comes from a wrong length in a document. */
bool isPlausible(std::size_t bytes);

}  // namespace zygote
