// Runs Ghostscript's interpreter in this process, and parses what it prints.
#include "interpreter.hpp"

#include <ghostscript/iapi.h>
#include <ghostscript/ierrors.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "font-list.hpp"
#include "program.hpp"

namespace zygote {
namespace {

constexpr std::size_t keptOutput = 300;
constexpr std::size_t longestMark = 9;
/** Text that Ghostscript prints before it names the substitute and the replaced font. */
const std::string introduction = "Substituting font ";
/** Text around the name of the substitute that Ghostscript's map of fonts has for the replaced font. */
const std::string mapped = "Using ";
const std::string replaced = " font for ";

constexpr unsigned long leastRoomBytes = 1 << 20;

/**
 * Text that error handlers print, both Ghostscript's own and those of printer drivers. After an error, the program can
 * continue with an incomplete page.
 */
const std::vector<std::string> marks = {"%%[ Error", "Error: /"};

void* interpreter = nullptr;

/** What Ghostscript printed: its first error report, and the end of its output. */
struct Printed {
  std::string tail;
  std::string report;

  void add(const char* text, std::size_t length) {
    if (!report.empty()) {
      report.append(text, std::min(length, keptOutput - std::min(keptOutput, report.size())));
      return;
    }
    // A mark can be split between two chunks.
    const std::size_t from = tail.size() < longestMark ? 0 : tail.size() - longestMark;
    tail.append(text, length);
    for (const std::string& mark : marks) {
      const std::size_t at = tail.find(mark, from);
      if (at != std::string::npos) report = tail.substr(at, keptOutput);
    }
    if (tail.size() > keptOutput) tail.erase(0, tail.size() - keptOutput);
  }
} printed;

/** Collects the fonts that Ghostscript replaced, from the lines that report them. */
class Substitutions {
 public:
  void add(const char* text, std::size_t length) {
    for (std::size_t at = 0; at < length; at++) {
      if (text[at] == '\n') {
        endLine();
      } else {
        line_ += text[at];
        // Limits the line's length, because the program itself can print text before the report.
        if (line_.size() > 2 * longestLine) line_.erase(0, longestLine);
      }
    }
  }

  std::string list() const { return fontList(all_); }

 private:
  void endLine() {
    const std::size_t at = line_.find(introduction);
    const std::size_t name = line_.find(mapped);
    const std::size_t end = name == std::string::npos ? name : line_.find(replaced, name);
    if (all_.size() < most && at != std::string::npos) {
      all_.insert(line_.substr(at + introduction.size()));
    } else if (all_.size() < most && end != std::string::npos) {
      const std::size_t start = name + mapped.size();
      all_.insert(line_.substr(start, end - start) + " for " + line_.substr(end + replaced.size()));
    }
    line_.clear();
  }

  static constexpr std::size_t longestLine = 500;
  static constexpr std::size_t most = 10'000;
  std::string line_;
  std::set<std::string> all_;
} substitutions;

int readNothing(void*, char*, int) { return 0; }

int keep(void*, const char* text, int length) {
  printed.add(text, static_cast<std::size_t>(length));
  substitutions.add(text, static_cast<std::size_t>(length));
  return length;
}

struct Result {
  int code = 0;
  int exitCode = 0;
};

/** Runs a file. Running a string would leave objects on the stack, which a program could remove. */
Result run(const std::string& path) {
  Result result;
  result.code = gsapi_run_file(interpreter, path.c_str(), 0, &result.exitCode);
  return result;
}

/** Returns how many pages the current device has output. */
int pageCount() {
  int count = 0;
  return gsapi_get_param(interpreter, "PageCount", &count, gs_spt_int) < 0 ? 0 : count;
}

void forbidWriting() {
  gsapi_purge_control_paths(interpreter, GS_PERMIT_FILE_WRITING);
  gsapi_purge_control_paths(interpreter, GS_PERMIT_FILE_CONTROL);
}

std::string whatWasPrinted() { return printed.report.empty() ? printed.tail : printed.report; }

bool isDiskFull(const std::string& folder) {
  struct statvfs about {};
  return statvfs(folder.c_str(), &about) == 0 && about.f_bavail * about.f_frsize < leastRoomBytes;
}

bool isComplete(const std::string& path) {
  constexpr char end[] = "%%EOF";
  std::ifstream file(path, std::ios::binary);
  file.seekg(-8, std::ios::end);
  const std::string last{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return last.find(end) != std::string::npos;
}

/** Completes the output file by selecting another device, which is 20 ms faster than closing the interpreter. */
bool closeOutput(const std::string& path) {
  gsapi_add_control_path(interpreter, GS_PERMIT_FILE_WRITING, "/dev/null");
  gsapi_set_param(interpreter, "OutputFile", "/dev/null", gs_spt_string);
  // The file is incomplete if the document's program has switched devices itself.
  return isComplete(path);
}

Outcome outcomeOf(const Result& result, bool hasPages) {
  if (result.code < 0 && result.code != gs_error_Quit) return {Status::damaged, whatWasPrinted()};
  if (result.exitCode != 0) return {Status::damaged, "quit: " + whatWasPrinted()};
  if (!printed.report.empty()) return {Status::damaged, "went on after: " + whatWasPrinted()};
  if (!hasPages) return {Status::damaged, "no page"};
  return {Status::ok, substitutions.list()};
}

}  // namespace

std::string startInterpreter() {
  int code = gsapi_new_instance(&interpreter, nullptr);
  if (code < 0) return "no instance: " + std::to_string(code);
  gsapi_set_arg_encoding(interpreter, GS_ARG_ENCODING_UTF8);
  gsapi_set_stdio(interpreter, readNothing, keep, keep);
  // NOEPS: the service itself reads boxes and previews of EPS files. No -q, because Ghostscript would then not report
  // replaced fonts. The arguments are copied, because Ghostscript writes to them.
  std::vector<std::string> texts = {"gs",      "-dSAFER", "-dNOPAUSE",         "-dNOPROMPT",
                                    "-dBATCH", "-dNOEPS", "-sDEVICE=nullpage", "-sPAPERSIZE=letter"};
  if (const char* rules = std::getenv("FONTCONFIG_FILE")) {
    // The folder of fontconfig's configuration also has a Fontmap.
    texts.push_back("-I" + std::string(rules).substr(0, std::string(rules).rfind('/')));
  }
  gsapi_revision_t revision{};
  // Version 10.04 and later permit no device but the first one unless it is named; earlier versions reject the option.
  if (gsapi_revision(&revision, sizeof revision) == 0 && revision.revision >= 10040) {
    texts.push_back("--permit-devices=pdfwrite:ppmraw:nullpage");
  }
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(&text[0]);
  arguments.push_back(nullptr);
  code = gsapi_init_with_args(interpreter, static_cast<int>(texts.size()), arguments.data());
  return code < 0 ? "not initialized: " + std::to_string(code) + " " + whatWasPrinted() : "";
}

std::string interpreterVersion() {
  gsapi_revision_t revision{};
  if (gsapi_revision(&revision, sizeof revision) != 0) return "unknown";
  // 1000 means 10.00; 10012 means 10.01.2.
  const std::string digits = std::to_string(revision.revision);
  return digits.size() < 4 ? digits : digits.substr(0, 2) + "." + digits.substr(2, 2);
}

std::string warmUp(const std::string& path) {
  gsapi_add_control_path(interpreter, GS_PERMIT_FILE_WRITING, "/dev/null");
  gsapi_add_control_path(interpreter, GS_PERMIT_FILE_READING, path.c_str());
  const Result result = run(path);
  gsapi_remove_control_path(interpreter, GS_PERMIT_FILE_READING, path.c_str());
  forbidWriting();
  const std::string said = whatWasPrinted();
  if (result.code < 0 || !printed.report.empty()) return std::to_string(result.code) + " " + said;
  printed = Printed();
  substitutions = Substitutions();
  return "";
}

Outcome convertToPdf(const Job& job) {
  for (const std::string& name : namesIn("."))
    gsapi_add_control_path(interpreter, GS_PERMIT_FILE_READING, name.c_str());
  // The fonts of the request (container/fonts/added-fonts.ts).
  for (const std::string& name : namesIn(".fonts"))
    gsapi_add_control_path(interpreter, GS_PERMIT_FILE_READING, (".fonts/" + name).c_str());
  gsapi_add_control_path(interpreter, GS_PERMIT_FILE_WRITING, job.output.c_str());
  const Result prepared = run("setup.ps");
  if (prepared.code < 0) return {Status::failed, "the device was not set up: " + whatWasPrinted()};
  // From here on, no file can be opened for writing. The output is already open.
  forbidWriting();
  const int before = pageCount();
  const Result result = run(job.input);
  Outcome outcome = outcomeOf(result, pageCount() > before);
  if (outcome.status == Status::ok && !closeOutput(job.output))
    outcome = {Status::damaged, "left its output incomplete"};
  if (outcome.status != Status::ok && isDiskFull(job.folder)) return {Status::lost, "no room on the disk"};
  return outcome;
}

}  // namespace zygote
