// Moves code into large pages. A copy in anonymous memory replaces the mapping of a library (mremap(2), madvise(2)).
#include "memory/large-pages.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace zygote {
namespace {

constexpr std::uintptr_t largePage = std::uintptr_t{2} << 20;

struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;
};

std::vector<Range> codeOfLibraries() {
  std::vector<Range> ranges;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Range range;
    char permissions[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &range.begin, &range.end, permissions) != 3) continue;
    // Skips the C library, because its code makes the copy.
    if (std::strcmp(permissions, "r-xp") != 0 || line.find(".so") == std::string::npos) continue;
    if (line.find("/libc.so") != std::string::npos) continue;
    range.begin = (range.begin + largePage - 1) & ~(largePage - 1);
    range.end &= ~(largePage - 1);
    if (range.begin < range.end) ranges.push_back(range);
  }
  return ranges;
}

/** Replaces code by a copy. Size and address must be multiples of the large page size. Returns true if successful. */
bool takePlace(void* copy, void* code, std::size_t bytes) {
  if (madvise(copy, bytes, MADV_HUGEPAGE) != 0) return false;
  std::memcpy(copy, code, bytes);
  if (mprotect(copy, bytes, PROT_READ | PROT_EXEC) != 0) return false;
  return mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, code) != MAP_FAILED;
}

void replace(const Range& range) {
  const std::size_t bytes = range.end - range.begin;
  void* const mapped = mmap(nullptr, bytes + largePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t copy = (first + largePage - 1) & ~(largePage - 1);
  const bool moved = takePlace(reinterpret_cast<void*>(copy), reinterpret_cast<void*>(range.begin), bytes);
  // Unmaps the space before and after the copy. If the copy was not moved, unmaps it too.
  if (copy > first) munmap(mapped, copy - first);
  const std::uintptr_t rest = moved ? copy + bytes : copy;
  munmap(reinterpret_cast<void*>(rest), first + bytes + largePage - rest);
}

/** Reports whether the system has large pages. A copy in small pages would make every fork slower. */
bool areThereLargePages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  return std::getline(file, modes) && modes.find("[never]") == std::string::npos;
}

}  // namespace

void useLargePagesForCode() {
  if (!areThereLargePages()) return;
  for (const Range& range : codeOfLibraries()) replace(range);
}

}  // namespace zygote
