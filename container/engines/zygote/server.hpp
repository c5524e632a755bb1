// Runs the zygote's loop: accepts jobs, forks a child for each, and writes responses. Never runs the engine itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "confinement.hpp"
#include "job.hpp"

namespace zygote {

struct ServerSettings {
  /** Maximum number of concurrent children; further jobs wait. */
  int children = 2;
  /** User of the first slot's child, if the zygote is root. The next slot's child has the next user ID. */
  std::uint32_t firstUser = 60'500;
  /** Paths that children can read, in addition to their job's folder. */
  std::vector<std::string> readable;
  /**
   * Folders that the engine expects for temporary files, relative to the working directory. Each job's folder has a
   * copy.
   */
  std::vector<std::string> temporaryFolders;
  /** Called in a child before everything else. */
  std::function<void()> begin = [] {};
  /** File descriptors of the protocol, which children close. */
  int requests = 0;
  int answers = 1;
};

/** Runs in the child, and returns the job's outcome. */
using Work = std::function<Outcome(const Job&)>;

/** Runs one job in a child, as for a request of the service. For self-tests. */
Outcome runOne(const ServerSettings& settings, const Job& job, const Work& work);

/** Serves until the request stream ends. @returns the exit code */
int serve(const ServerSettings& settings, const Work& work);

}  // namespace zygote
