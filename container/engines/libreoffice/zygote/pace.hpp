// Estimates the export time of a long document, so that an export that would exceed its time limit never starts.
#pragma once

#include <functional>
#include <string>

#include <com/sun/star/lang/XComponent.hpp>

namespace zygote {

/** Number of pages of a document, and how many of them can be exported in the remaining time. */
struct Pace {
  long pages = 0;
  long possible = 0;
};

/** Returns the CPU time of this process, in seconds. */
double usedSeconds();

/**
 * Estimates the export time of a long document from a few exported pages.
 * @param seconds CPU time of the whole job
 * @param exportPages exports a page range, such as `1,20,40`, to a temporary file
 */
Pace paceOf(const css::uno::Reference<css::lang::XComponent>& document, double seconds,
            const std::function<void(const std::string& range)>& exportPages);

}  // namespace zygote
