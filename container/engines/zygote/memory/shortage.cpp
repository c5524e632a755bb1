// Ends a process whose allocation or file write exceeds its limit.
#include "memory/shortage.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <new>

namespace zygote {
namespace {

std::function<void(Status, const char*)> lastWords;

std::size_t mostAtOnce = SIZE_MAX;
thread_local std::size_t lastRefused = 0;

void memoryRefused() {
  // Throws, as `new` does without a handler.
  if (!isPlausible(lastRefused)) throw std::bad_alloc();
  refused(Status::exhausted, "memory");
}

}  // namespace

void endWhenRefused(std::int64_t memoryBytes, std::function<void(Status, const char*)> words) {
  mostAtOnce = static_cast<std::size_t>(memoryBytes) / 2;
  lastWords = std::move(words);
  std::set_new_handler(memoryRefused);
}

void noteRefusal(std::size_t bytes) { lastRefused = bytes; }

bool isPlausible(std::size_t bytes) { return bytes <= mostAtOnce; }

void refused(Status status, const char* what) {
  if (!lastWords) return;
  // The soft limit is lower than the hard limit, which leaves some memory for this report.
  rlimit memory{};
  getrlimit(RLIMIT_AS, &memory);
  memory.rlim_cur = memory.rlim_max;
  setrlimit(RLIMIT_AS, &memory);
  lastWords(status, what);
  _exit(0);
}

}  // namespace zygote
