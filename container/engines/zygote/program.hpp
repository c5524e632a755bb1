// Provides the parts of main() that all zygotes share: arguments, the protocol's streams, and the first line of output.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "server.hpp"

namespace zygote {

/** A zygote process. Every zygote accepts --children <n> and --first-user <n>. */
class Program {
 public:
  ServerSettings settings;

  /**
   * Reads `--name value` pairs, makes the folder of fontconfig's configuration readable, keeps the engine's standard
   * output out of the protocol, and ties the process's lifetime to its parent's.
   * @param required names of required arguments, without the dashes
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

/** Returns the sorted names of the files in a folder, except hidden files. */
std::vector<std::string> namesIn(const std::string& folder);

/** Returns the absolute path of the working directory, or an empty string if it was deleted. */
std::string workingDirectory();

/**
 * For self-tests: reports whether a PDF has one page, by a text search in its page tree (ISO 32000-1, 7.7.3.2).
 */
bool isPdfOfOnePage(const std::string& path);

}  // namespace zygote
