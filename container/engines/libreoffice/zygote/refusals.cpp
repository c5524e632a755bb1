// Replaces two functions of the C library, exported with -rdynamic: LibreOffice and its libraries map fonts with mmap
// and write files with pwrite. If the kernel refuses memory or disk space, the process ends and reports it.
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory/shortage.hpp"

extern "C" {

void* mmap(void* address, std::size_t length, int protection, int flags, int file, off_t offset) noexcept {
  const long result = syscall(SYS_mmap, address, length, protection, flags, file, offset);
  if (result == -1 && errno == ENOMEM && zygote::isPlausible(length))
    zygote::refused(zygote::Status::exhausted, "memory");
  return reinterpret_cast<void*>(result);
}

// setrlimit(2): a write across RLIMIT_FSIZE is truncated; a write beyond it fails.
ssize_t pwrite(int file, const void* bytes, std::size_t length, off_t offset) {
  const long written = syscall(SYS_pwrite64, file, bytes, length, offset);
  const bool isRefused = written < 0 ? errno == EFBIG || errno == ENOSPC : static_cast<std::size_t>(written) < length;
  if (isRefused) zygote::refused(zygote::Status::room, "room in a file");
  return written;
}

// Names of both functions for files of more than 2 GiB.
void* mmap64(void* address, std::size_t length, int protection, int flags, int file, off64_t offset) noexcept {
  return mmap(address, length, protection, flags, file, offset);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t length, off64_t offset) {
  return pwrite(file, bytes, length, offset);
}
}
