// Manages one forked child: its start, its confinement, and its outcome.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "job.hpp"
#include "server.hpp"

namespace zygote {

using Clock = std::chrono::steady_clock;

/** A running child, as the zygote sees it. */
struct Child {
  pid_t pid = -1;
  Job job;
  int slot = 0;
  /** Read end of the pipe that carries the child's outcome. */
  int outcome = -1;
  Clock::time_point deadline;
  bool late = false;
  bool canceled = false;
};

/**
 * Forks a child.
 * @param ours file descriptors of the zygote, which the child must close
 * @returns a child with pid -1 if fork(2) fails
 */
Child startChild(const ServerSettings& settings, const Job& job, int slot, const std::vector<int>& ours,
                 const Work& work);

/** Kills the child and all processes that it might have started. */
void killChild(const Child& child);

/** Reads the outcome and closes the pipe. Call this after waitpid. */
Outcome outcomeOf(const Child& child, int waitStatus);

}  // namespace zygote
