// Ghostscript in this process: one warm interpreter, which can run one job.
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
 * Runs a program in this process and discards its output, so that children inherit loaded fonts and color profiles.
 * @param path a PostScript file that selects a page device, and closes it at the end
 * @returns an empty string, or the error
 */
std::string warmUp(const std::string& path);

/**
 * Converts the program in `job.folder`, the working directory, to `job.output`. Never throws. Can be called once. The
 * folder contains two files written by engines/ghostscript/program.ts: `setup.ps` selects the device and opens the
 * output, and `job.input` draws the pages. If successful, the outcome's detail lists the replaced fonts, which
 * engines/ghostscript/fonts.ts parses.
 */
Outcome convertToPdf(const Job& job);

}  // namespace zygote
