#include "account/python_peer.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace sotto::bench {

PythonPeer::PythonPeer(const std::string& program) {
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) return;
  std::signal(SIGPIPE, SIG_IGN);
  process_ = fork();
  if (process_ == 0) {
    dup2(down[0], STDIN_FILENO);
    dup2(up[1], STDOUT_FILENO);
    for (const int end : {down[0], down[1], up[0], up[1]}) close(end);
    const char* python = std::getenv("SOTTO_PYTHON");
    python = python ? python : "python3";
    execlp(python, python, "-c", program.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  to_ = fdopen(down[1], "w");
  from_ = fdopen(up[0], "r");
  char line[64] = {};
  ready_ = process_ > 0 && std::fgets(line, sizeof line, from_) != nullptr && std::strncmp(line, "ready", 5) == 0;
}

PythonPeer::~PythonPeer() {
  if (to_) std::fclose(to_);
  if (from_) std::fclose(from_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

double PythonPeer::ask(const std::string& line) {
  std::fputs((line + "\n").c_str(), to_);
  std::fflush(to_);
  char answer[128] = {};
  if (std::fgets(answer, sizeof answer, from_) == nullptr) throw std::runtime_error("account: the Python peer is gone");
  return std::strtod(answer, nullptr);
}

}  // namespace sotto::bench
