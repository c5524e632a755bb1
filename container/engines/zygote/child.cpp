// Starts and confines forked children, and interprets how they end.
#include "child.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "confinement.hpp"
#include "font-list.hpp"
#include "memory/shortage.hpp"

namespace zygote {
namespace {

void tell(int pipe, const Outcome& outcome) {
  std::string message(1, static_cast<char>(outcome.status));
  message += outcome.detail.substr(0, longestDetail);
  if (write(pipe, message.data(), message.size()) < 0) _exit(1);
}

/** Makes the child's user the owner of the job's folder. */
bool giveFolder(const Job& job, const Identity& owner) {
  const std::string input = job.folder + "/" + job.input;
  return lchown(job.folder.c_str(), owner.uid, owner.gid) == 0 && lchown(input.c_str(), owner.uid, owner.gid) == 0;
}

void resetSignals() {
  // Restores the default handlers. LibreOffice's handlers would try to save documents, but a crashed child must end at
  // once.
  const auto handled = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGHUP, SIGINT, SIGXCPU, SIGXFSZ, SIGCHLD};
  for (const int signal : handled) {
    ::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/** Reports whether a signal comes from a person or the system. A fault within the process raises other signals. */
bool isFromOutside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

/** @returns an empty string, or the failed step; then the document must not be opened */
std::string confine(const ServerSettings& settings, const Job& job, int slot, pid_t zygote) {
  const Identity user{settings.firstUser + static_cast<uid_t>(slot), settings.firstUser + static_cast<gid_t>(slot)};
  const bool isRoot = geteuid() == 0;
  limitResources(job);
  if (chdir(job.folder.c_str()) != 0) return "the job's folder cannot be entered";
  if (isRoot && !giveFolder(job, user)) return "the job's folder cannot be given to the child's user";
  if (isRoot && !becomeUser(user)) return "the child's user cannot be changed";
  // Must run after the change of user, which clears this setting.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != zygote) _exit(1);
  for (const std::string& name : settings.temporaryFolders) {
    if (mkdir(name.c_str(), 0700) != 0) return "the job's folder cannot be written to";
  }
  restrictFiles(settings.readable, job.folder);
  if (!restrictSystemCalls()) return "the system call filter cannot be set";
  return "";
}

[[noreturn]] void live(const ServerSettings& settings, const Job& job, int slot, pid_t zygote, int pipe,
                       const Work& work) {
  settings.begin();
  setpgid(0, 0);
  resetSignals();
  endWhenRefused(job.memoryBytes, [pipe](Status status, const char* what) { tell(pipe, {status, what}); });
  const std::string obstacle = confine(settings, job, slot, zygote);
  tell(pipe, obstacle.empty() ? work(job) : Outcome{Status::lost, obstacle});
  // Skips destructors and exit handlers: those of LibreOffice would wait for threads that do not exist in the child.
  _exit(0);
}

}  // namespace

Child startChild(const ServerSettings& settings, const Job& job, int slot, const std::vector<int>& ours,
                 const Work& work) {
  Child child;
  child.job = job;
  child.slot = slot;
  child.deadline = Clock::now() + std::chrono::milliseconds(job.timeoutMs);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return child;
  const pid_t zygote = getpid();
  // Blocks signals until the child has its own handlers. LibreOffice's handlers would never return in a child.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  child.pid = fork();
  if (child.pid == 0) {
    close(ends[0]);
    for (const int descriptor : ours) close(descriptor);
    live(settings, job, slot, zygote, ends[1], work);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  if (child.pid < 0) {
    close(ends[0]);
    return child;
  }
  // Both the parent and the child call this, so that the group exists whichever of them runs first.
  setpgid(child.pid, child.pid);
  child.outcome = ends[0];
  return child;
}

void killChild(const Child& child) {
  kill(-child.pid, SIGKILL);
  kill(child.pid, SIGKILL);
}

Outcome outcomeOf(const Child& child, int waitStatus) {
  std::string message(1 + longestDetail, '\0');
  const ssize_t length = read(child.outcome, &message[0], message.size());
  close(child.outcome);
  if (child.canceled) return {Status::crashed, "canceled"};
  if (child.late) return {Status::timeout, "ran for " + std::to_string(child.job.timeoutMs) + " ms"};
  if (WIFSIGNALED(waitStatus)) {
    const int signal = WTERMSIG(waitStatus);
    const Job& job = child.job;
    if (signal == SIGXCPU) return {Status::timeout, "used " + std::to_string(job.cpuSeconds) + " s of processor time"};
    if (signal == SIGXFSZ) return {Status::room, "wrote more than " + std::to_string(job.fileBytes) + " bytes"};
    return {isFromOutside(signal) ? Status::lost : Status::crashed, std::string("ended by ") + strsignal(signal)};
  }
  if (length < 1 || static_cast<unsigned char>(message[0]) > static_cast<unsigned char>(Status::lost)) {
    return {Status::crashed, "ended without a word, code " + std::to_string(WEXITSTATUS(waitStatus))};
  }
  return {static_cast<Status>(message[0]), message.substr(1, static_cast<std::size_t>(length) - 1)};
}

}  // namespace zygote
