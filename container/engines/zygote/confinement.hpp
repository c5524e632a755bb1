// Restricts a child that opens an untrusted document: it can compute, read system files, and write to its job's folder.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "job.hpp"

namespace zygote {

/**
 * A user that a child runs as, if the zygote is root. Each slot has a different user, so that jobs cannot access each
 * other.
 */
struct Identity {
  uid_t uid;
  gid_t gid;
};

/**
 * Sets limits (setrlimit(2)) and disables core files. Makes the kernel's out-of-memory killer choose this process
 * first.
 */
void limitResources(const Job& job);

/** @returns false if this process is not allowed to change its user */
bool becomeUser(Identity identity);

/**
 * Restricts reading to files below `readable`, and writing to files below `writable`. On kernels without Landlock, only
 * the user's permissions restrict access.
 * @returns true if the kernel enforces the restriction
 */
bool restrictFiles(const std::vector<std::string>& readable, const std::string& writable);

/**
 * From now on, refuses sockets, other programs, other processes and access to their memory. @returns false on failure
 */
bool restrictSystemCalls();

}  // namespace zygote
