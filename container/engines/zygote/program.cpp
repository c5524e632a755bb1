// Implements the parts that all zygotes share: start and end.
#include "program.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "json.hpp"

namespace zygote {
namespace {

bool separateProtocol(ServerSettings& settings) {
  settings.requests = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  settings.answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  return settings.requests >= 0 && settings.answers >= 0 && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
         dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

}  // namespace

bool Program::begin(int count, char** values, const std::vector<std::string>& required) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = values[i];
    if (name.compare(0, 2, "--") != 0) return false;
    arguments_[name.substr(2)] = values[i + 1];
  }
  for (const std::string& name : required) {
    if (arguments_.count(name) == 0) return false;
  }
  if (arguments_.count("children") == 1) settings.children = std::max(1, std::atoi(arguments_["children"].c_str()));
  if (arguments_.count("first-user") == 1) {
    settings.firstUser = static_cast<std::uint32_t>(std::atol(arguments_["first-user"].c_str()));
  }
  if (const char* rules = std::getenv("FONTCONFIG_FILE")) {
    settings.readable.push_back(std::string(rules).substr(0, std::string(rules).rfind('/')));
  }
  // The fonts of the deployment (container/fonts/deployed-fonts.ts).
  if (const char* fonts = std::getenv("XDG_DATA_HOME")) settings.readable.emplace_back(fonts);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  if (!separateProtocol(settings)) _exit(1);
  return true;
}

void Program::sayReady(const std::string& version) const {
  const auto took = std::chrono::steady_clock::now() - started_;
  const std::int64_t startMs = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  say(JsonLine().add("ready", true).add("version", version).add("startMs", startMs).finish());
}

void Program::giveUp(const std::string& reason) const {
  say(JsonLine().add("ready", false).add("reason", reason).finish());
  _exit(3);
}

void Program::say(const std::string& line) const {
  if (write(settings.answers, line.data(), line.size()) < 0) _exit(1);
}

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

bool isPdfOfOnePage(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string pdf{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return pdf.compare(0, 5, "%PDF-") == 0 && pdf.find("/Count 1") != std::string::npos;
}

}  // namespace zygote
