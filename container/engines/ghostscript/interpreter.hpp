// Ghostscript in this process: one interpreter, warmed up, that can run one job. It knows nothing of forks, limits or the
// protocol.
#pragma once

#include <string>

#include "job.hpp"

namespace zygote {

/**
 * Starts the interpreter with SAFER on.
 * @returns an empty string, or why it cannot be done
 */
std::string startInterpreter();

/** For example `10.00`. */
std::string interpreterVersion();

/**
 * Runs a program in this process and leaves no output, so that jobs find fonts and colour profiles loaded.
 * @param path of a PostScript file, with a page device of its own and at its end none
 * @returns an empty string, or what went wrong
 */
std::string warmUp(const std::string& path);

/**
 * Makes `job.output` of what lies in `job.folder`, which is the working directory. Never throws, and can be called once.
 * Of the folder's programs `setup.ps` selects the device and opens the output, and `job.input` draws the pages;
 * engines/ghostscript/program.ts writes both. A success names the fonts that were replaced, which
 * engines/ghostscript/fonts.ts reads.
 */
Outcome convertToPdf(const Job& job);

}  // namespace zygote
