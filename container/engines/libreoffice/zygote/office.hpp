// LibreOffice in this process: loads a document and exports it as PDF.
#pragma once

#include <string>

#include "job.hpp"

namespace zygote {

/**
 * Connects to the office that LibreOfficeKit started in this process. Call it in the main loop's callback, where the
 * office's lock is free.
 * @returns an empty string, or the reason for the failure
 */
std::string attachOffice(const std::string& programFolder);

/** Returns the office's version, for example `25.2.3.2`. */
std::string officeVersion();

/** Ends LibreOffice's idle threads, if this version allows it, because only a single-threaded process forks safely. */
void endIdleThreads();

/**
 * Resets state of earlier documents that would affect later ones, if this version allows it: the colors of tracked
 * changes depend on the authors seen before.
 */
void forgetDocuments();

/** Step after the conversion. `abandon`: the process exits next, so the document need not be closed. */
enum class Afterwards { close, abandon };

/**
 * Converts `job.input` in `job.folder` to `job.output`. The detail of a success lists the replaced fonts
 * (document-fonts.hpp). Never throws.
 */
Outcome convertToPdf(const Job& job, Afterwards afterwards);

}  // namespace zygote
