// Confines a child with resource limits, a separate user, and Landlock.
#include "confinement.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace zygote {
namespace {

void limit(int resource, rlim_t soft, rlim_t hard) {
  const rlimit value{soft, hard};
  setrlimit(static_cast<__rlimit_resource>(resource), &value);
}

/** Returns the address space in use, because RLIMIT_AS also counts the zygote's libraries and heap. */
rlim_t mappedBytes() {
  long pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// The C library has no wrappers for Landlock.
int createRuleset(const landlock_ruleset_attr* attributes, std::size_t size, unsigned flags) {
  return static_cast<int>(syscall(SYS_landlock_create_ruleset, attributes, size, flags));
}

bool allowBelow(int ruleset, const std::string& path, __u64 access) {
  const int parent = open(path.c_str(), O_PATH | O_CLOEXEC);
  // A path that does not exist on this system needs no rule.
  if (parent < 0) return true;
  struct stat about {};
  // Landlock rejects folder rights on a file.
  if (fstat(parent, &about) == 0 && !S_ISDIR(about.st_mode)) access &= ~__u64{LANDLOCK_ACCESS_FS_READ_DIR};
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = parent;
  const long result = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(parent);
  return result == 0;
}

}  // namespace

void limitResources(const Job& job) {
  const auto cpu = static_cast<rlim_t>(job.cpuSeconds);
  limit(RLIMIT_CPU, cpu, cpu + 1);
  const rlim_t memory = mappedBytes() + static_cast<rlim_t>(job.memoryBytes);
  // The hard limit is slightly higher, so that the child can still report that memory ran out.
  limit(RLIMIT_AS, memory, memory + (rlim_t{1} << 20));
  limit(RLIMIT_FSIZE, static_cast<rlim_t>(job.fileBytes), static_cast<rlim_t>(job.fileBytes));
  limit(RLIMIT_NOFILE, 256, 256);
  limit(RLIMIT_CORE, 0, 0);
  if (FILE* file = std::fopen("/proc/self/oom_score_adj", "w")) {
    std::fputs("900", file);
    std::fclose(file);
  }
}

bool becomeUser(Identity identity) {
  if (setgroups(0, nullptr) != 0) return false;
  if (setresgid(identity.gid, identity.gid, identity.gid) != 0) return false;
  if (setresuid(identity.uid, identity.uid, identity.uid) != 0) return false;
  // The kernel counts processes per user. So this limit is set only if each child runs as a separate user.
  limit(RLIMIT_NPROC, 64, 64);
  return true;
}

bool restrictFiles(const std::vector<std::string>& readable, const std::string& writable) {
  const int version = createRuleset(nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  const __u64 reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  // The thirteen rights of Landlock's first version, up to MAKE_SYM. Version 2 adds REFER, version 3 adds TRUNCATE.
  __u64 everything = (__u64{LANDLOCK_ACCESS_FS_MAKE_SYM} << 1) - 1;
  if (version >= 2) everything |= __u64{1} << 13;
  if (version >= 3) everything |= __u64{1} << 14;
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = everything;
  const int ruleset = createRuleset(&attributes, sizeof attributes.handled_access_fs, 0);
  if (ruleset < 0) return false;
  bool ruled = allowBelow(ruleset, writable, everything & ~__u64{LANDLOCK_ACCESS_FS_EXECUTE});
  ruled = std::all_of(readable.begin(), readable.end(),
                      [&](const std::string& path) { return allowBelow(ruleset, path, reading); }) &&
          ruled;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ruled = ruled && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return ruled;
}

}  // namespace zygote
