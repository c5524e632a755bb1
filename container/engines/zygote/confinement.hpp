// Restricts a child that opens an untrusted document to computing, reading system files, and writing to its folder.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "job.hpp"

namespace zygote {

/** User that children run as if the zygote is root: one for each slot, so that jobs cannot reach each other. */
struct Identity {
  uid_t uid;
  gid_t gid;
};

/**
 * Sets the limits of setrlimit(2), makes the process the first victim of the kernel's out-of-memory killer, and
 * disables core files.
 */
void limitResources(const Job& job);

/** @returns false if this process is not allowed to change its user */
bool becomeUser(Identity identity);

/**
 * Makes files readable only below `readable`, and writable only below `writable`. On kernels without Landlock, the
 * user's permissions are the only restriction.
 * @returns true if the kernel enforces it
 */
bool restrictFiles(const std::vector<std::string>& readable, const std::string& writable);

/**
 * Refuses sockets, other programs, other processes, and access to their memory from now on. @returns false on failure
 */
bool restrictSystemCalls();

}  // namespace zygote
