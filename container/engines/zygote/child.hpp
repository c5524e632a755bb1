// One forked child: how it is started and confined, and what its end means.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "job.hpp"
#include "server.hpp"

namespace zygote {

using Clock = std::chrono::steady_clock;

/** A running child, seen from the zygote. */
struct Child {
  pid_t pid = -1;
  Job job;
  int slot = 0;
  /** The end of the pipe on which it tells its outcome. */
  int outcome = -1;
  Clock::time_point deadline;
  bool late = false;
  bool cancelled = false;
};

/**
 * Forks.
 * @param ours descriptors of the zygote that the child must not have
 * @returns a child with pid -1 if the system has no room for it
 */
Child startChild(const ServerSettings& settings, const Job& job, int slot, const std::vector<int>& ours,
                 const Work& work);

/** Kills the child and whatever it may have started. */
void killChild(const Child& child);

/** After waitpid: reads what it told and closes the pipe. */
Outcome outcomeOf(const Child& child, int waitStatus);

}  // namespace zygote
