// Initializes Ghostscript once and forks for every job. Requests and responses are JSON lines on standard input and
// output. engines/zygote/zygote.ts sends the requests and documents the format.
//
// ghostscript-zygote --warm-up <PostScript file> [--children n] [--first-user n]
// The working directory is the zygote's scratch space.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "interpreter.hpp"
#include "program.hpp"
#include "server.hpp"

namespace {

using zygote::Job;
using zygote::Outcome;
using zygote::Program;
using zygote::Status;

// Minimal setup for the self-test. For jobs, the service writes the setup.
constexpr char openOutput[] = "<< /OutputDevice /pdfwrite /OutputFile (output.pdf) >> setpagedevice\n";

Outcome attempt(const Program& self, const std::string& name, const std::string& program) {
  Job job;
  job.folder = zygote::workingDirectory() + "/" + name;
  job.input = "input.ps";
  job.timeoutMs = 20'000;
  if (mkdir(job.folder.c_str(), 0711) != 0) return {Status::failed, "no folder"};
  std::ofstream(job.folder + "/setup.ps") << openOutput;
  std::ofstream(job.folder + "/" + job.input) << program;
  return zygote::runOne(self.settings, job, zygote::convertToPdf);
}

/** Runs two jobs with limits: the first draws a page, the second tries to read a file of another folder. */
std::string selfTest(const Program& self) {
  const Outcome good = attempt(self, "good", "%!PS\n/Helvetica 12 selectfont 72 72 moveto (page) show showpage\n");
  if (good.status != Status::ok) return std::string(wordOf(good.status)) + ": " + good.detail;
  if (!zygote::isPdfOfOnePage("good/output.pdf")) return "the PDF does not have one page";
  const Outcome bad = attempt(self, "bad", "%!PS\n(/etc/passwd) (r) file closefile showpage\n");
  return bad.status == Status::damaged ? "" : "a program could read /etc/passwd";
}

}  // namespace

int main(int count, char** values) {
  Program self;
  if (!self.begin(count, values, {"warm-up"})) {
    std::fputs("usage: ghostscript-zygote --warm-up <PostScript file>\n", stderr);
    return 2;
  }
  self.settings.readable.insert(self.settings.readable.end(), {
      "/usr/share/ghostscript", "/usr/share/color", "/usr/share/fonts", "/usr/local/share/fonts",
      "/var/lib/ghostscript", "/usr/share/poppler", "/usr/share/fontconfig", "/etc/fonts", "/etc/ghostscript",
      "/var/cache/fontconfig", "/dev/null"
  });
  // Temporary files go to the working directory, which in a child is the job's folder.
  setenv("TMPDIR", "/proc/self/cwd", 1);
  const std::string obstacle = zygote::startInterpreter();
  if (!obstacle.empty()) self.giveUp(obstacle);
  const std::string cold = zygote::warmUp(self.argument("warm-up"));
  if (!cold.empty()) self.giveUp("warm-up: " + cold);
  const std::string failure = selfTest(self);
  if (!failure.empty()) self.giveUp("self-test: " + failure);
  self.sayReady(zygote::interpreterVersion());
  return zygote::serve(self.settings, zygote::convertToPdf);
}
