// LibreOffice in this process: loads a document and stores it as PDF. Knows nothing about forks, limits or the
// protocol.
#pragma once

#include <string>

#include "job.hpp"

namespace zygote {

/**
 * Connects to the office that LibreOfficeKit started in this process. Call it in the run loop's callback, where the
 * office's lock is free.
 * @returns an empty string, or the reason for the failure
 */
std::string attachOffice(const std::string& programFolder);

/** Returns the office's version, for example `7.4.7.2`. */
std::string officeVersion();

/** Ends the threads that LibreOffice keeps for later, if this version allows it: a single thread forks cleanly. */
void endIdleThreads();

/**
 * Removes traces of earlier documents that later ones would show, if this version allows it: the colors of tracked
 * changes depend on the authors seen.
 */
void forgetDocuments();

/** Step after the conversion. A process that ends then need not spend time on closing the document. */
enum class Afterwards { close, abandon };

/** Converts `job.input` in `job.folder` to `job.output`. Never throws. */
Outcome convertToPdf(const Job& job, Afterwards afterwards);

}  // namespace zygote
