// The zygote's working life: jobs in, a forked child for each, answers out. It never runs the engine itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "confinement.hpp"
#include "job.hpp"

namespace zygote {

struct ServerSettings {
  /** How many children may work at a time; further jobs wait their turn. */
  int children = 2;
  /** Users of the children if the zygote is root: this one for the first slot, the next for the second, ... */
  std::uint32_t firstUser = 60'500;
  /** What children may read beside their own folder. */
  std::vector<std::string> readable;
  /** Folders below the working directory that the engine made for temporary files; each job's folder gets its own. */
  std::vector<std::string> temporaryFolders;
  /** The first thing that a child does. */
  std::function<void()> begin = [] {};
  /** The protocol's two ends; children do not have them. */
  int requests = 0;
  int answers = 1;
};

/** Runs in the child. */
using Work = std::function<Outcome(const Job&)>;

/** One job in a child of its own, as the service would have it done. For the self-test. */
Outcome runOne(const ServerSettings& settings, const Job& job, const Work& work);

/** Serves until the requests end. @returns the exit code */
int serve(const ServerSettings& settings, const Work& work);

}  // namespace zygote
