// Loads LibreOffice once and forks for every document. Requests and responses are JSON lines on standard input and
// output. engines/zygote/zygote.ts sends the requests and documents the format.
//
// zygote --program <LibreOffice's program folder> --profile <folder> --samples <folder> [--children n] [--first-user n]
// The working directory is the zygote's scratch space.
#define LOK_USE_UNSTABLE_API
#include <LibreOfficeKit/LibreOfficeKit.h>
#include <LibreOfficeKit/LibreOfficeKitInit.h>

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "heap.hpp"
#include "memory/large-pages.hpp"
#include "office.hpp"
#include "program.hpp"
#include "server.hpp"

namespace {

using zygote::Afterwards;
using zygote::Job;
using zygote::namesIn;
using zygote::Outcome;
using zygote::Status;
using zygote::workingDirectory;

// Maximum number of checks whether LibreOffice's start-up threads have ended.
constexpr int quietLooks = 1'000;
constexpr useconds_t quietPauseUs = 5'000;

struct Zygote {
  zygote::Program program;
  LibreOfficeKit* kit = nullptr;
  bool running = false;
};

bool copyFile(const std::string& from, const std::string& to) {
  std::ifstream source(from, std::ios::binary);
  std::ofstream target(to, std::ios::binary);
  target << source.rdbuf();
  return source.good() && target.good();
}

/** Converts each sample in this process, so that children inherit loaded code, fonts and filters. */
void warmUp(const Zygote& self) {
  const std::string samples = self.program.argument("samples");
  for (const std::string& name : namesIn(samples)) {
    Job job;
    job.folder = workingDirectory();
    job.input = "sample" + name.substr(name.rfind('.'));
    job.output = "sample.pdf";
    if (!copyFile(samples + "/" + name, job.input)) self.program.giveUp("the sample " + name + " cannot be copied");
    const Outcome outcome = zygote::convertToPdf(job, Afterwards::close);
    if (outcome.status != Status::ok)
      self.program.giveUp("the sample " + name + " was not converted: " + outcome.detail);
    unlink(job.input.c_str());
    unlink(job.output.c_str());
  }
}

/**
 * Waits until only one thread is left. fork(2) copies only the calling thread, so locks held by other threads would
 * stay locked in the child.
 */
bool waitUntilSingleThreaded() {
  for (int look = 0; look < quietLooks; look++) {
    if (namesIn("/proc/self/task").size() == 1) return true;
    if (look % 20 == 0) zygote::endIdleThreads();
    usleep(quietPauseUs);
  }
  return false;
}

/** Runs one job like a client's, with limits. */
std::string selfTest(const Zygote& self) {
  Job job;
  job.folder = workingDirectory() + "/self-test";
  job.input = "sample.docx";
  job.timeoutMs = 20'000;
  if (mkdir(job.folder.c_str(), 0711) != 0) return "no folder for the self-test";
  if (!copyFile(self.program.argument("samples") + "/text.docx", job.folder + "/" + job.input)) return "no sample";
  const auto work = [](const Job& asked) { return zygote::convertToPdf(asked, Afterwards::abandon); };
  const Outcome outcome = zygote::runOne(self.program.settings, job, work);
  if (outcome.status != Status::ok) return std::string(wordOf(outcome.status)) + ": " + outcome.detail;
  return zygote::isPdfOfOnePage(job.folder + "/" + job.output) ? "" : "the PDF of the self-test does not have one page";
}

[[noreturn]] void becomeServer(Zygote& self) {
  const std::string obstacle = zygote::attachOffice(self.program.argument("program"));
  if (!obstacle.empty()) self.program.giveUp(obstacle);
  warmUp(self);
  zygote::forgetDocuments();
  const std::string version = zygote::officeVersion();
  if (!waitUntilSingleThreaded()) self.program.giveUp("LibreOffice keeps threads running");
  // A child would copy the garbage in glibc's free blocks when it uses them; new pages are zeroed instead.
  malloc_trim(0);
  zygote::useLargePagesForCode();
  self.program.settings.temporaryFolders = namesIn(".");
  const std::string failure = selfTest(self);
  if (!failure.empty()) self.program.giveUp("self-test: " + failure);
  self.program.sayReady(version);
  const auto work = [](const Job& job) { return zygote::convertToPdf(job, Afterwards::abandon); };
  _exit(zygote::serve(self.program.settings, work));
}

/** LibreOffice's main loop calls this without holding its lock. Calls during the loading of a document are ignored. */
int onPoll(void* data, int) {
  Zygote& self = *static_cast<Zygote*>(data);
  if (self.running) return 0;
  self.running = true;
  becomeServer(self);
}

void onWake(void*) {}

}  // namespace

int main(int count, char** values) {
  zygote::useOwnPages();
  Zygote self;
  if (!self.program.begin(count, values, {"program", "profile", "samples"})) {
    std::fputs("usage: zygote --program <folder> --profile <folder> --samples <folder>\n", stderr);
    return 2;
  }
  const std::string program = self.program.argument("program");
  const std::string profile = self.program.argument("profile");
  self.program.settings.begin = zygote::useOwnPages;
  std::vector<std::string>& readable = self.program.settings.readable;
  readable.insert(readable.end(), {
      "/usr/lib", "/usr/share", "/usr/local/share/fonts", "/etc/fonts", "/etc/libreoffice", "/etc/ld.so.cache",
      "/etc/localtime", "/var/cache/fontconfig", "/var/lib/libreoffice", "/proc", "/sys/devices/system/cpu",
      "/dev/urandom", "/dev/null", program + "/..", profile
  });
  // Selects a main loop that starts no threads. Temporary files go to the working directory, which in a child is the
  // job's folder.
  setenv("SAL_LOK_OPTIONS", "unipoll", 1);
  setenv("TMPDIR", "/proc/self/cwd", 1);
  self.kit = lok_init_2(program.c_str(), ("file://" + profile).c_str());
  if (self.kit == nullptr) self.program.giveUp("LibreOfficeKit did not start");
  // The callback is never called if data is null.
  self.kit->pClass->runLoop(self.kit, onPoll, onWake, &self);
  self.program.giveUp("LibreOffice's main loop ended");
}
