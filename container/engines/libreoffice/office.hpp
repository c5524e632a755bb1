// LibreOffice in this process: loads a document, stores it as PDF. It knows nothing of forks, limits or the protocol.
#pragma once

#include <string>

#include "job.hpp"

namespace zygote {

/**
 * Takes hold of the office that LibreOfficeKit started in this process. To be called in the run loop's callback, where
 * the office's lock is free.
 * @returns an empty string, or why it cannot be done
 */
std::string attachOffice(const std::string& programFolder);

/** The office's version, for example `7.4.7.2`. */
std::string officeVersion();

/** Ends the threads LibreOffice keeps for later, as far as this version lets us: one thread forks cleanly. */
void endIdleThreads();

/**
 * Forgets what documents so far have left in the process and later ones would show, as far as this version lets us: the
 * colours of tracked changes go by the authors seen.
 */
void forgetDocuments();

/** A process that ends after the conversion need not spend time on closing the document. */
enum class Afterwards { close, abandon };

/** Converts `job.input` in `job.folder` to `job.output`. Never throws. */
Outcome convertToPdf(const Job& job, Afterwards afterwards);

}  // namespace zygote
