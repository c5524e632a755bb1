// Defines jobs and their outcomes, which the zygote exchanges with the service.
#pragma once

#include <cstdint>
#include <string>

#include "json.hpp"

namespace zygote {

/** One conversion. Sizes are in bytes. Times are in milliseconds, unless their name has another unit. */
struct Job {
  std::string id;
  /** Absolute path of the job's own folder, which the service creates and deletes. The child can write nowhere else. */
  std::string folder;
  /** File names inside the folder. */
  std::string input = "input";
  std::string output = "output.pdf";
  /** The whole request, including fields that only the engine uses. */
  JsonObject request;
  std::int64_t timeoutMs = 120'000;
  std::int64_t cpuSeconds = 120;
  /** Memory that the child can use in addition to the zygote's mappings. */
  std::int64_t memoryBytes = std::int64_t{2} << 30;
  std::int64_t fileBytes = std::int64_t{1} << 30;
};

/**
 * Outcome of a job, which a child reports as one byte. `tooLong`: the job would exceed its time limit; the detail has
 * the number of pages, and how many of them fit into the limit. `noSheet`: the detail is the name of a sheet that the
 * document lacks. `crashed`: the document made the process fail. `lost`: the process could not run or was killed, and
 * the document is not the cause.
 */
enum class Status : unsigned char {
  ok, password, damaged, unsupported, failed, exhausted, room, timeout, tooLong, noSheet, crashed, lost
};

inline const char* wordOf(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::password: return "password";
    case Status::damaged: return "damaged";
    case Status::unsupported: return "unsupported";
    case Status::failed: return "failed";
    case Status::exhausted: return "exhausted";
    case Status::room: return "room";
    case Status::timeout: return "timeout";
    case Status::tooLong: return "too-long";
    case Status::noSheet: return "no-sheet";
    case Status::crashed: return "crashed";
    case Status::lost: return "lost";
  }
  return "crashed";
}

struct Outcome {
  Status status = Status::failed;
  /** Detail for the log. Can contain text of the document. */
  std::string detail;
};

}  // namespace zygote
