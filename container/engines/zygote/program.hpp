// What every zygote's main() does first and says last: its arguments, its ends of the protocol, its first line.
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
   * Reads `--name value` pairs, keeps the protocol apart from whatever the engine writes to its standard output, and ends
   * with the parent.
   * @param required names of arguments, without the dashes
   * @returns whether all are there
   */
  bool begin(int count, char** values, const std::vector<std::string>& required);

  /** Of a required one. */
  const std::string& argument(const std::string& name) const { return arguments_.at(name); }

  void sayReady(const std::string& version) const;
  [[noreturn]] void giveUp(const std::string& reason) const;

 private:
  void say(const std::string& line) const;

  std::map<std::string, std::string> arguments_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/** Names in a folder, in order, without the hidden ones. */
std::vector<std::string> namesIn(const std::string& folder);

/** Absolute; empty if it is gone. */
std::string workingDirectory();

/** For self-tests; as far as reading the plain text of the page tree tells it (ISO 32000-1, 7.7.3.2). */
bool isPdfOfOnePage(const std::string& path);

}  // namespace zygote
