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
  /** Maximum number of children that work at a time; further jobs wait. */
  int children = 2;
  /** Users of the children if the zygote is root: this one for the first slot, the next for the second, and so on. */
  std::uint32_t firstUser = 60'500;
  /** Paths that children can read, in addition to their own folder. */
  std::vector<std::string> readable;
  /** Folders below the working directory that the engine made for temporary files. Each job's folder has its own. */
  std::vector<std::string> temporaryFolders;
  /** Called first in a child. */
  std::function<void()> begin = [] {};
  /** Both ends of the protocol. Children do not have them. */
  int requests = 0;
  int answers = 1;
};

/** Runs in the child. */
using Work = std::function<Outcome(const Job&)>;

/** Runs one job in its own child, as the service would request it. Used by the self-test. */
Outcome runOne(const ServerSettings& settings, const Job& job, const Work& work);

/** Serves until the requests end. @returns the exit code */
int serve(const ServerSettings& settings, const Work& work);

}  // namespace zygote
