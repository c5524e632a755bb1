// Replaces the C library's allocation functions, which Ghostscript calls; exported with -rdynamic. A failed allocation
// ends the process, because a PostScript program could catch the error and continue.
#include <cstddef>

#include "memory/shortage.hpp"

extern "C" {

// The C library provides its own functions under these names, for such replacements.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);

void* malloc(std::size_t size) {
  void* const block = __libc_malloc(size);
  if (block == nullptr) zygote::refused(zygote::Status::exhausted, "memory");
  return block;
}

void* calloc(std::size_t count, std::size_t size) {
  void* const block = __libc_calloc(count, size);
  if (block == nullptr) zygote::refused(zygote::Status::exhausted, "memory");
  return block;
}

void* realloc(void* old, std::size_t size) {
  void* const block = __libc_realloc(old, size);
  if (block == nullptr && size != 0) zygote::refused(zygote::Status::exhausted, "memory");
  return block;
}
}
