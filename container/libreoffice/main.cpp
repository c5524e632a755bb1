// A LibreOffice that is loaded once and forks for every document. Requests and answers are JSON lines on standard input
// and output; engines/libreoffice-zygote.ts is the other end and describes them.
//
// zygote --program <LibreOffice's program folder> --profile <folder> --samples <folder> [--children n] [--first-user n]
// Its working directory is scratch space of its own.
#define LOK_USE_UNSTABLE_API
#include <LibreOfficeKit/LibreOfficeKit.h>
#include <LibreOfficeKit/LibreOfficeKitInit.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "json.hpp"
#include "office.hpp"
#include "server.hpp"

namespace {

using zygote::Afterwards;
using zygote::Job;
using zygote::JsonLine;
using zygote::Outcome;
using zygote::ServerSettings;
using zygote::Status;

// How long LibreOffice's start-up threads may take to end.
constexpr int quietLooks = 1'000;
constexpr useconds_t quietPauseUs = 5'000;

struct Zygote {
  std::map<std::string, std::string> arguments;
  ServerSettings settings;
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  LibreOfficeKit* kit = nullptr;
  bool running = false;
};

/** Names in a folder, in order, without the hidden ones. */
std::vector<std::string> namesIn(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const open = opendir(folder.c_str());
  if (open == nullptr) return names;
  while (const dirent* entry = readdir(open)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  closedir(open);
  std::sort(names.begin(), names.end());
  return names;
}

std::string workingDirectory() {
  char path[4096];
  return getcwd(path, sizeof path) == nullptr ? "" : path;
}

bool copyFile(const std::string& from, const std::string& to) {
  std::ifstream source(from, std::ios::binary);
  std::ofstream target(to, std::ios::binary);
  target << source.rdbuf();
  return source.good() && target.good();
}

void say(const Zygote& self, const std::string& line) {
  if (write(self.settings.answers, line.data(), line.size()) < 0) _exit(1);
}

[[noreturn]] void giveUp(const Zygote& self, const std::string& reason) {
  say(self, JsonLine().add("ready", false).add("reason", reason).finish());
  _exit(3);
}

/** Converts each sample in this process, so that children find code, fonts and filters loaded. */
void warmUp(const Zygote& self) {
  const std::string samples = self.arguments.at("samples");
  for (const std::string& name : namesIn(samples)) {
    Job job;
    job.folder = workingDirectory();
    job.input = "sample" + name.substr(name.rfind('.'));
    job.output = "sample.pdf";
    if (!copyFile(samples + "/" + name, job.input)) giveUp(self, "the sample " + name + " cannot be copied");
    const Outcome outcome = zygote::convertToPdf(job, Afterwards::close);
    if (outcome.status != Status::ok) giveUp(self, "the sample " + name + " was not converted: " + outcome.detail);
    unlink(job.input.c_str());
    unlink(job.output.c_str());
  }
}

/** fork(2) copies the calling thread alone: locks that others hold would stay locked in the child. */
bool waitUntilSingleThreaded() {
  for (int look = 0; look < quietLooks; look++) {
    if (namesIn("/proc/self/task").size() == 1) return true;
    if (look % 20 == 0) zygote::endIdleThreads();
    usleep(quietPauseUs);
  }
  return false;
}

/** One real job, limits and all: its PDF must have one page (ISO 32000-1, 7.7.3.2). */
std::string selfTest(const Zygote& self) {
  Job job;
  job.folder = workingDirectory() + "/self-test";
  job.input = "sample.docx";
  job.timeoutMs = 20'000;
  if (mkdir(job.folder.c_str(), 0711) != 0) return "no folder for the self-test";
  if (!copyFile(self.arguments.at("samples") + "/text.docx", job.folder + "/" + job.input)) return "no sample";
  const auto work = [](const Job& asked) { return zygote::convertToPdf(asked, Afterwards::abandon); };
  const Outcome outcome = zygote::runOne(self.settings, job, work);
  if (outcome.status != Status::ok) return std::string(wordOf(outcome.status)) + ": " + outcome.detail;
  std::ifstream file(job.folder + "/" + job.output, std::ios::binary);
  const std::string pdf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const bool onePage = pdf.compare(0, 5, "%PDF-") == 0 && pdf.find("/Count 1") != std::string::npos;
  return onePage ? "" : "the PDF of the self-test does not have one page";
}

[[noreturn]] void becomeServer(Zygote& self) {
  const std::string obstacle = zygote::attachOffice(self.arguments.at("program"));
  if (!obstacle.empty()) giveUp(self, obstacle);
  warmUp(self);
  zygote::forgetDocuments();
  const std::string version = zygote::officeVersion();
  if (!waitUntilSingleThreaded()) giveUp(self, "LibreOffice keeps threads running");
  self.settings.temporaryFolders = namesIn(".");
  const std::string failure = selfTest(self);
  if (!failure.empty()) giveUp(self, "self-test: " + failure);
  const auto took = std::chrono::steady_clock::now() - self.started;
  say(self, JsonLine()
                .add("ready", true)
                .add("version", version)
                .add("startMs", std::int64_t{std::chrono::duration_cast<std::chrono::milliseconds>(took).count()})
                .finish());
  _exit(zygote::serve(self.settings, [](const Job& job) { return zygote::convertToPdf(job, Afterwards::abandon); }));
}

/** Called by LibreOffice's main loop with its lock free, and again while documents load: those calls pass through. */
int onPoll(void* data, int) {
  Zygote& self = *static_cast<Zygote*>(data);
  if (self.running) return 0;
  self.running = true;
  becomeServer(self);
}

void onWake(void*) {}

bool readArguments(int count, char** values, std::map<std::string, std::string>& arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = values[i];
    if (name.compare(0, 2, "--") != 0) return false;
    arguments[name.substr(2)] = values[i + 1];
  }
  return arguments.count("program") == 1 && arguments.count("profile") == 1 && arguments.count("samples") == 1;
}

/** Keeps the protocol apart from whatever LibreOffice writes to its standard output. */
bool separateProtocol(ServerSettings& settings) {
  settings.requests = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  settings.answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  return settings.requests >= 0 && settings.answers >= 0 && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
         dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

}  // namespace

int main(int count, char** values) {
  Zygote self;
  if (!readArguments(count, values, self.arguments)) {
    std::fputs("usage: zygote --program <folder> --profile <folder> --samples <folder>\n", stderr);
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  if (!separateProtocol(self.settings)) return 1;
  if (self.arguments.count("children") == 1) {
    self.settings.children = std::max(1, std::atoi(self.arguments["children"].c_str()));
  }
  if (self.arguments.count("first-user") == 1) {
    self.settings.firstUser = static_cast<std::uint32_t>(std::atol(self.arguments["first-user"].c_str()));
  }
  const std::string program = self.arguments["program"];
  const std::string profile = self.arguments["profile"];
  self.settings.readable = {"/usr/lib",       "/usr/share",         "/usr/local/share/fonts", "/etc/fonts",
                            "/etc/libreoffice", "/etc/ld.so.cache", "/etc/localtime",         "/var/cache/fontconfig",
                            "/var/lib/libreoffice", "/proc",        "/sys/devices/system/cpu", "/dev/urandom",
                            "/dev/null",      program,              profile};
  // One main loop without threads of its own; and temporary files go to wherever the process is: in a child, its job's.
  setenv("SAL_LOK_OPTIONS", "unipoll", 1);
  setenv("TMPDIR", "/proc/self/cwd", 1);
  self.kit = lok_init_2(program.c_str(), ("file://" + profile).c_str());
  if (self.kit == nullptr) giveUp(self, "LibreOfficeKit did not start");
  // With null for data the callback is never called.
  self.kit->pClass->runLoop(self.kit, onPoll, onWake, &self);
  giveUp(self, "LibreOffice's main loop ended");
}
