// Attempts what a document could do that controls a zygote's child. Prints the result of each attempt.
// Usage: attempts confined|open <own folder> <document of another job> <process of the same user> <user>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "confinement.hpp"

namespace {

void say(const char* attempt, bool done) { std::printf("%s: %s\n", attempt, done ? "done" : "refused"); }

bool canOpen(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

bool canFork() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return child > 0;
}

bool canConnect() {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in nobody{};
  nobody.sin_family = AF_INET;
  nobody.sin_port = htons(9);
  nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // No server listens there. A refused connection shows that the system allows the call.
  return made >= 0 && (connect(made, reinterpret_cast<sockaddr*>(&nobody), sizeof nobody) == 0 || errno == ECONNREFUSED);
}

}  // namespace

int main(int count, char** values) {
  if (count != 6) return 2;
  const std::string mode = values[1], own = values[2], other = values[3], process = values[4];
  const auto user = static_cast<uid_t>(std::atoi(values[5]));
  if (chdir(own.c_str()) != 0) return 3;
  if (geteuid() == 0 && !zygote::becomeUser({user, user})) return 4;
  if (mode == "confined") {
    if (!zygote::restrictFiles({"/usr", "/lib64", "/etc", "/proc"}, own)) std::puts("no landlock");
    if (!zygote::restrictSystemCalls()) return 5;
  }
  const pid_t neighbor = std::atoi(process.c_str());
  say("connect", canConnect());
  say("socket of a local service", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
  say("packets", socket(AF_INET6, SOCK_DGRAM, 0) >= 0);
  say("read another job's document", canOpen(other, O_RDONLY));
  say("write to another job's document", canOpen(other, O_WRONLY));
  say("read another process's environment", canOpen("/proc/" + process + "/environ", O_RDONLY));
  say("signal another process", kill(neighbor, 0) == 0);
  say("trace another process", ptrace(PTRACE_SEIZE, neighbor, nullptr, nullptr) == 0);
  say("start a process", canFork());
  say("write in its own folder", canOpen("own", O_CREAT | O_WRONLY));
  std::fflush(stdout);
  execl("/usr/bin/echo", "echo", "start a program: done", nullptr);
  say("start a program", false);
  std::fflush(stdout);
  _exit(0);
}
