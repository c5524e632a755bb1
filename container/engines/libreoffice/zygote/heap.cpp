// Replaces malloc(3) and related functions ("Replacing malloc" in glibc's manual). They are exported (-rdynamic), so
// that LibreOffice and the C library itself call them. Until useOwnPages() is called, they forward to glibc. After it,
// blocks of up to 8 KiB that the calling thread allocates come from one region. The region consists of spans, each for
// blocks of one size class: blocks need no headers, and the block freed last is reused first. glibc still serves larger
// blocks, other threads, and all blocks once the region is full. A child has a new region, and inherits the zygote's.
#include "heap.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/shortage.hpp"

extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

constexpr std::size_t regionBytes = std::size_t{128} << 20;
constexpr std::size_t spanBytes = std::size_t{32} << 10;
constexpr std::size_t largestBlock = std::size_t{8} << 10;
constexpr std::size_t grain = 16;

/** Size classes: in steps of 16 bytes up to 256 bytes, then in steps of 1/16 to 1/8 of the size. */
struct Classes {
  std::size_t sizes[128] = {};
  unsigned char bySize[largestBlock / grain + 1] = {};
  constexpr Classes() {
    int count = 0;
    for (std::size_t size = grain; size <= largestBlock;) {
      sizes[count++] = size;
      std::size_t step = grain;
      while (step * 16 <= size) step *= 2;
      size += step;
    }
    unsigned char fitting = 0;
    for (std::size_t grains = 0; grains <= largestBlock / grain; grains++) {
      while (sizes[fitting] < grains * grain) fitting++;
      bySize[grains] = fitting;
    }
  }
};
constexpr Classes classes;

struct FreeBlock {
  FreeBlock* next;
};

struct Class {
  FreeBlock* free;
  char* next;
  char* end;
};

struct Region {
  char* begin;
  char* end;
  char* nextSpan;
  Class lists[128];
  unsigned char classOfSpan[regionBytes / spanBytes];

  bool has(const void* block) const { return block >= begin && block < end; }
  unsigned char& classOf(const void* block) {
    return classOfSpan[static_cast<std::size_t>(static_cast<const char*>(block) - begin) / spanBytes];
  }
};

Region own{};
/** The zygote's region, in a child. Its blocks are never freed, because that would copy their pages. */
Region inherited{};
// Only the owner, the thread that called useOwnPages(), uses the region, so the region needs no lock.
thread_local bool isOwner = false;
/** While true, glibc's small blocks are not freed: nearly all are from before the fork. Those of other threads leak. */
std::atomic<bool> leavesOld{false};

void* takeFromNewSpan(unsigned char index) {
  if (own.nextSpan == own.end) {
    // From now on, glibc's small blocks can also be from after the fork.
    leavesOld = false;
    return nullptr;
  }
  char* const first = own.nextSpan;
  own.classOf(first) = index;
  own.nextSpan += spanBytes;
  own.lists[index].next = first + classes.sizes[index];
  own.lists[index].end = own.nextSpan;
  return first;
}

/** @param bytes at most {@link largestBlock} @returns null if the region is full */
void* take(std::size_t bytes) {
  const unsigned char index = classes.bySize[(bytes + grain - 1) / grain];
  Class& list = own.lists[index];
  if (FreeBlock* const block = list.free) {
    list.free = block->next;
    return block;
  }
  const std::size_t size = classes.sizes[index];
  if (static_cast<std::size_t>(list.end - list.next) < size) return takeFromNewSpan(index);
  char* const block = list.next;
  list.next += size;
  return block;
}

void giveBack(void* block) {
  // Only the owner can free a block of the region. Blocks that other threads free are leaked; the region's size limits
  // the leak.
  if (!isOwner) return;
  Class& list = own.lists[own.classOf(block)];
  FreeBlock* const head = static_cast<FreeBlock*>(block);
  head->next = list.free;
  list.free = head;
}

using SizeOf = std::size_t (*)(void*);
SizeOf findGlibcsSizeOf() { return reinterpret_cast<SizeOf>(dlsym(RTLD_NEXT, "malloc_usable_size")); }
SizeOf glibcsSizeOf = nullptr;

std::size_t sizeOf(void* block) {
  if (own.has(block)) return classes.sizes[own.classOf(block)];
  if (inherited.has(block)) return classes.sizes[inherited.classOf(block)];
  return (glibcsSizeOf != nullptr ? glibcsSizeOf : findGlibcsSizeOf())(block);
}

void* noted(void* block, std::size_t bytes) {
  if (block == nullptr) zygote::noteRefusal(bytes);
  return block;
}

void* aligned(std::size_t alignment, std::size_t bytes) {
  // Every power of two up to `largestBlock` is a size class, and spans are aligned to more than that. So a block whose
  // size is a power of two is aligned to its size.
  std::size_t size = alignment;
  while (size < bytes && size <= largestBlock) size *= 2;
  if (isOwner && size <= largestBlock && (size & (size - 1)) == 0) {
    if (void* const block = take(size)) return block;
  }
  return noted(__libc_memalign(alignment, bytes), bytes);
}

}  // namespace

void zygote::useOwnPages() {
  void* const mapped =
      mmap(nullptr, regionBytes + spanBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;
  // Must be looked up before the region is used, because the lookup can allocate memory.
  glibcsSizeOf = findGlibcsSizeOf();
  const auto address = (reinterpret_cast<std::uintptr_t>(mapped) + spanBytes - 1) & ~std::uintptr_t{spanBytes - 1};
  leavesOld = own.begin != nullptr;
  inherited = own;
  own = {};
  own.begin = own.nextSpan = reinterpret_cast<char*>(address);
  own.end = own.begin + regionBytes;
  madvise(own.begin, regionBytes, MADV_HUGEPAGE);
  isOwner = true;
}

extern "C" {

void* malloc(std::size_t bytes) {
  if (isOwner && bytes <= largestBlock) {
    if (void* const block = take(bytes)) return block;
  }
  return noted(__libc_malloc(bytes), bytes);
}

void free(void* block) {
  if (block == nullptr) return;
  if (own.has(block)) return giveBack(block);
  if (inherited.has(block)) return;
  if (leavesOld.load(std::memory_order_relaxed) && glibcsSizeOf(block) <= largestBlock) return;
  __libc_free(block);
}

void* calloc(std::size_t count, std::size_t each) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) bytes = SIZE_MAX;
  if (isOwner && bytes <= largestBlock) {
    if (void* const block = take(bytes)) return memset(block, 0, bytes);
  }
  return noted(__libc_calloc(count, each), bytes);
}

void* realloc(void* block, std::size_t bytes) {
  if (block == nullptr) return malloc(bytes);
  const bool inside = own.has(block) || inherited.has(block);
  if (!inside && !leavesOld.load(std::memory_order_relaxed)) return noted(__libc_realloc(block, bytes), bytes);
  if (bytes == 0) {
    free(block);
    return nullptr;
  }
  const std::size_t had = sizeOf(block);
  if (!inside && had > largestBlock && bytes > largestBlock) return noted(__libc_realloc(block, bytes), bytes);
  if (inside && bytes <= had && bytes > had / 2) return block;
  void* const moved = malloc(bytes);
  if (moved == nullptr) return nullptr;
  memcpy(moved, block, had < bytes ? had : bytes);
  free(block);
  return moved;
}

void* memalign(std::size_t alignment, std::size_t bytes) { return aligned(alignment, bytes); }

void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return aligned(alignment, bytes); }

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  void* const made = aligned(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

std::size_t malloc_usable_size(void* block) { return block == nullptr ? 0 : sizeOf(block); }
}
