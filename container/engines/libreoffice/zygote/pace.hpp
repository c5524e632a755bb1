// Foresees how long the export of a long document takes, so that it need not be tried until its time is up.
#pragma once

#include <functional>
#include <string>

#include <com/sun/star/lang/XComponent.hpp>

namespace zygote {

/** The pages of a document, and how many of them can be exported in the time that is left. */
struct Pace {
  long pages = 0;
  long possible = 0;
};

/** Returns the processor time that this process has used, in seconds. */
double usedSeconds();

/**
 * Exports a few pages of a long document to see how long all of them will take.
 * @param seconds processor time of the whole job
 * @param exportPages exports the pages of a range, such as `1,20,40`, to a file that is not kept
 */
Pace paceOf(const css::uno::Reference<css::lang::XComponent>& document, double seconds,
            const std::function<void(const std::string& range)>& exportPages);

}  // namespace zygote
