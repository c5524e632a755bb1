// What a child that meets a stranger's document may still do: compute, read the system's files, write into its folder.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "job.hpp"

namespace zygote {

/** The user that children run as, where the zygote is root: one for each slot, so that jobs cannot reach each other. */
struct Identity {
  uid_t uid;
  gid_t gid;
};

/** Limits of setrlimit(2), a first place for the kernel's out-of-memory killer, and no core files. */
void limitResources(const Job& job);

/** @returns false if this process may not change its user */
bool becomeUser(Identity identity);

/**
 * From here on files are readable below `readable` only, and writable below `writable` only. Kernels without Landlock
 * leave it at the permissions of the user.
 * @returns whether the kernel does it
 */
bool restrictFiles(const std::vector<std::string>& readable, const std::string& writable);

/** From here on no socket, no other program, no other process, no look into others. @returns false on failure */
bool restrictSystemCalls();

}  // namespace zygote
