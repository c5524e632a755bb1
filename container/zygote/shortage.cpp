#include "shortage.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <new>

namespace zygote {
namespace {

std::function<void(Status, const char*)> lastWords;

void memoryRefused() { refused(Status::exhausted, "memory"); }

}  // namespace

void endWhenRefused(std::function<void(Status, const char*)> words) {
  lastWords = std::move(words);
  std::set_new_handler(memoryRefused);
}

void refused(Status status, const char* what) {
  if (!lastWords) return;
  // The soft limit leaves some room for this.
  rlimit memory{};
  getrlimit(RLIMIT_AS, &memory);
  memory.rlim_cur = memory.rlim_max;
  setrlimit(RLIMIT_AS, &memory);
  lastWords(status, what);
  _exit(0);
}

}  // namespace zygote
