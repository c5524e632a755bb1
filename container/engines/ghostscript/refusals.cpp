// Functions of the C library as Ghostscript calls them (exported with -rdynamic): a program can catch the error that a
// refusal becomes, and go on without. What is refused ends the process.
#include <cstddef>

#include "shortage.hpp"

extern "C" {

// The C library's own, which it offers for this.
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
