// Ghostscript in this process: one interpreter, warmed up, that can run one job. Knows nothing about forks, limits or
// the protocol.
#pragma once

#include <string>

#include "job.hpp"

namespace zygote {

/**
 * Starts the interpreter with SAFER on.
 * @returns an empty string, or the reason for the failure
 */
std::string startInterpreter();

/** Returns the version, for example `10.00`. */
std::string interpreterVersion();

/**
 * Runs a program in this process and leaves no output, so that jobs find fonts and color profiles loaded.
 * @param path a PostScript file that sets its own page device, and none at its end
 * @returns an empty string, or the error
 */
std::string warmUp(const std::string& path);

/**
 * Converts the program in `job.folder`, which is the working directory, to `job.output`. Never throws, and can be
 * called once. The folder has two programs, both written by engines/ghostscript/program.ts: `setup.ps` selects the
 * device and opens the output, and `job.input` draws the pages. A success names the fonts that were replaced, which
 * engines/ghostscript/fonts.ts reads.
 */
Outcome convertToPdf(const Job& job);

}  // namespace zygote
