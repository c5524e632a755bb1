// Accepts jobs, forks a child for each, enforces deadlines, and writes the responses.
#include "server.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <list>

#include "child.hpp"
#include "json.hpp"

namespace zygote {
namespace {

class Server {
 public:
  Server(const ServerSettings& settings, const Work& work)
      : settings_(settings), work_(work), slotTaken_(static_cast<std::size_t>(settings.children), false) {}

  int run() {
    sigset_t childEnded;
    sigemptyset(&childEnded);
    sigaddset(&childEnded, SIGCHLD);
    sigprocmask(SIG_BLOCK, &childEnded, nullptr);
    ends_ = signalfd(-1, &childEnded, SFD_CLOEXEC | SFD_NONBLOCK);
    if (ends_ < 0) return 1;
    while (!over_) {
      startWaiting();
      pollfd watched[2] = {{settings_.requests, POLLIN, 0}, {ends_, POLLIN, 0}};
      if (poll(watched, 2, untilNextDeadline()) < 0 && errno != EINTR) return 1;
      signalfd_siginfo ignored;
      while (read(ends_, &ignored, sizeof ignored) > 0) continue;
      if (watched[0].revents != 0) readRequests();
      endLate();
      reap();
    }
    for (const Child& child : children_) killChild(child);
    return 0;
  }

 private:
  void startWaiting() {
    while (!waiting_.empty()) {
      const auto free = std::find(slotTaken_.begin(), slotTaken_.end(), false);
      if (free == slotTaken_.end()) return;
      const Job job = waiting_.front();
      waiting_.pop_front();
      const int slot = static_cast<int>(free - slotTaken_.begin());
      const Child child = startChild(settings_, job, slot, descriptors(), work_);
      if (child.pid < 0) {
        answer(job, {Status::lost, "no process could be made"});
        continue;
      }
      *free = true;
      children_.push_back(child);
      say(JsonLine().add("id", job.id).add("pid", std::int64_t{child.pid}));
    }
  }

  /** Returns all descriptors that a child must not have, including the pipes of other jobs' outcomes. */
  std::vector<int> descriptors() const {
    std::vector<int> all = {settings_.requests, settings_.answers, ends_};
    for (const Child& child : children_) all.push_back(child.outcome);
    return all;
  }

  /** Returns the timeout for poll(2) in milliseconds; -1 means no limit. */
  int untilNextDeadline() const {
    int least = -1;
    for (const Child& child : children_) {
      if (child.late) continue;
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(child.deadline - Clock::now()).count();
      // Adds a millisecond, so that the deadline has passed when poll returns.
      const int milliseconds = static_cast<int>(std::clamp<std::int64_t>(left + 1, 0, 1'000'000));
      if (least < 0 || milliseconds < least) least = milliseconds;
    }
    return least;
  }

  void readRequests() {
    char buffer[65536];
    const ssize_t length = read(settings_.requests, buffer, sizeof buffer);
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (length <= 0) {
      over_ = true;
      return;
    }
    pending_.append(buffer, static_cast<std::size_t>(length));
    for (std::size_t end; (end = pending_.find('\n')) != std::string::npos; pending_.erase(0, end + 1)) {
      take(pending_.substr(0, end));
    }
  }

  void take(const std::string& line) {
    const auto request = JsonObject::parse(line);
    if (!request) return say(JsonLine().add("error", "a request that is not a flat JSON object"));
    if (request->text("op", "") == "ping") return say(JsonLine().add("alive", true));
    if (request->text("op", "") == "cancel") return cancel(request->text("id", ""));
    Job job;
    job.id = request->text("id", "");
    job.folder = request->text("folder", "");
    job.input = request->text("input", job.input);
    job.output = request->text("output", job.output);
    job.request = *request;
    job.timeoutMs = request->number("timeoutMs", job.timeoutMs);
    job.cpuSeconds = request->number("cpuSeconds", job.cpuSeconds);
    job.memoryBytes = request->number("memoryBytes", job.memoryBytes);
    job.fileBytes = request->number("fileBytes", job.fileBytes);
    waiting_.push_back(job);
  }

  void cancel(const std::string& id) {
    const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), [&](const Job& job) { return job.id == id; });
    if (waiting != waiting_.end()) {
      answer(*waiting, {Status::crashed, "canceled"});
      waiting_.erase(waiting);
    }
    for (Child& child : children_) {
      if (child.job.id != id) continue;
      child.canceled = true;
      killChild(child);
    }
  }

  void endLate() {
    for (Child& child : children_) {
      if (child.late || Clock::now() < child.deadline) continue;
      child.late = true;
      killChild(child);
    }
  }

  void reap() {
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto ended = std::find_if(children_.begin(), children_.end(), [&](const Child& c) { return c.pid == pid; });
      if (ended == children_.end()) continue;
      const Child child = *ended;
      children_.erase(ended);
      slotTaken_[static_cast<std::size_t>(child.slot)] = false;
      answer(child.job, outcomeOf(child, status));
    }
  }

  void answer(const Job& job, const Outcome& outcome) {
    say(JsonLine().add("id", job.id).add("status", wordOf(outcome.status)).add("detail", outcome.detail));
  }

  void say(JsonLine& line) {
    const std::string text = line.finish();
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(settings_.answers, text.data() + done, text.size() - done);
      if (written < 0 && errno == EINTR) continue;
      // The reader has closed the pipe.
      if (written < 0) {
        over_ = true;
        return;
      }
      done += static_cast<std::size_t>(written);
    }
  }

  const ServerSettings& settings_;
  const Work& work_;
  std::vector<bool> slotTaken_;
  std::deque<Job> waiting_;
  std::list<Child> children_;
  std::string pending_;
  /** Readable when a child has ended. */
  int ends_ = -1;
  bool over_ = false;
};

}  // namespace

Outcome runOne(const ServerSettings& settings, const Job& job, const Work& work) {
  const Child child = startChild(settings, job, 0, {settings.requests, settings.answers}, work);
  if (child.pid < 0) return {Status::failed, "no process could be made"};
  int status = 0;
  while (waitpid(child.pid, &status, WNOHANG) == 0) {
    if (Clock::now() > child.deadline) {
      killChild(child);
      waitpid(child.pid, &status, 0);
      return {Status::timeout, "the first child did not end"};
    }
    usleep(2'000);
  }
  return outcomeOf(child, status);
}

int serve(const ServerSettings& settings, const Work& work) { return Server(settings, work).run(); }

}  // namespace zygote
