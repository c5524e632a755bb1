// Provides the common parts of every zygote's main(): its arguments, its ends of the protocol, its first line.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "server.hpp"

namespace zygote {

/** A zygote process. All take --children <n> and --first-user <n>. */
class Program {
 public:
  ServerSettings settings;

  /**
   * Reads `--name value` pairs, makes the folder of fontconfig's configuration readable, separates the protocol from the
   * engine's standard output, and makes the process end with its parent.
   * @param required names of arguments, without the dashes
   * @returns true if all of them are present
   */
  bool begin(int count, char** values, const std::vector<std::string>& required);

  /** Returns a required argument. */
  const std::string& argument(const std::string& name) const { return arguments_.at(name); }

  void sayReady(const std::string& version) const;
  [[noreturn]] void giveUp(const std::string& reason) const;

 private:
  void say(const std::string& line) const;

  std::map<std::string, std::string> arguments_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/** Returns the names in a folder, in order, without the hidden ones. */
std::vector<std::string> namesIn(const std::string& folder);

/** Returns the absolute path, or an empty string if the directory is gone. */
std::string workingDirectory();

/**
 * Reports, for self-tests, whether a PDF has one page, if the plain text of its page tree shows it (ISO 32000-1,
 * 7.7.3.2).
 */
bool isPdfOfOnePage(const std::string& path);

}  // namespace zygote
