#include "sotto/files/table_source.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr int kNoLibrary = 3;  // how the program says that it has neither

// What goes wrong before the first row is told as the library words it; later only its kind, as it may quote a cell.
constexpr const char* kProgram = R"(
import sys
sys.path = [place for place in sys.path if place not in ('', '.')]
paths = sys.argv[1:]
def fail(message, code=1):
    sys.stderr.write(message)
    sys.stderr.flush()
    sys.exit(code)
def with_pyarrow(pa, csv, pq):
    try:
        files = [pq.ParquetFile(path) for path in paths]
        first = files[0].schema_arrow
        for path, file in zip(paths, files):
            if file.schema_arrow.names != first.names:
                fail(path + ' has other columns than the first file')
        fields = []
        for field in first:
            kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
            if pa.types.is_nested(kind) or 'binary' in str(kind):
                fail('column ' + field.name + ' holds ' + str(kind) + ', which has no text')
            fields.append(pa.field(field.name, pa.string() if pa.types.is_null(kind) else kind))
        schema = pa.schema(fields)
    except Exception as error:
        fail(str(error))
    with csv.CSVWriter(sys.stdout.buffer, schema) as writer:
        for file in files:
            for batch in file.iter_batches():
                writer.write_table(pa.Table.from_batches([batch]).cast(schema))
def with_duckdb(duckdb):
    try:
        if any(sign in path for path in paths for sign in '*?['):
            fail('duckdb takes *, ? and [ in a name for a pattern; rename the file, or install pyarrow')
        table = duckdb.connect().read_parquet(paths)
        for name, kind in zip(table.columns, table.types):
            if any(word in str(kind) for word in ('[', '(', 'BLOB')) and not str(kind).startswith('DECIMAL'):
                fail('column ' + name + ' holds ' + str(kind) + ', which has no text')
    except Exception as error:
        fail(str(error))
    table.write_csv('/dev/stdout', header=True)
try:
    try:
        import pyarrow, pyarrow.csv, pyarrow.parquet
        with_pyarrow(pyarrow, pyarrow.csv, pyarrow.parquet)
    except ImportError:
        try:
            import duckdb
        except ImportError:
            sys.exit(3)
        with_duckdb(duckdb)
    sys.stdout.flush()
except Exception as error:
    fail('the table cannot be read to its end (' + type(error).__name__ + ')')
)";

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw Error(ErrorKind::io, "a pipe cannot be made", "data");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends_[0]);
    close_writer();
  }
  int reader() const noexcept { return ends_[0]; }
  int writer() const noexcept { return ends_[1]; }
  void close_writer() noexcept {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  std::size_t read(std::span<char> buffer) const {
    while (true) {
      const ssize_t count = ::read(ends_[0], buffer.data(), buffer.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw Error(ErrorKind::io, "reading from a process failed", "data");
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// What a Python process writes. The text ends well only if the process does.
class ProcessSource final : public ByteSource {
 public:
  ProcessSource(std::string name, const std::vector<std::string>& paths) : name_(std::move(name)) {
    const char* chosen = std::getenv("SOTTO_PYTHON");
    const std::string python = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
    std::vector<const char*> words{python.c_str(), "-c", kProgram};
    for (const std::string& path : paths) words.push_back(path.c_str());
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, text_.writer(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors_.writer(), STDERR_FILENO);
    const int status =
        ::posix_spawnp(&process_, python.c_str(), &actions, nullptr, const_cast<char**>(words.data()), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0) throw Error(ErrorKind::unsupported, name_ + ": " + needs(), "data");
    text_.close_writer();
    errors_.close_writer();
  }
  ProcessSource(const ProcessSource&) = delete;
  ProcessSource& operator=(const ProcessSource&) = delete;
  ~ProcessSource() override {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  std::size_t read(std::span<char> buffer) override {
    if (process_ <= 0 || buffer.empty()) return 0;
    await_text();
    const std::size_t count = text_.read(buffer);
    if (count == 0) finish();
    return count;
  }
  const std::string& name() const noexcept override { return name_; }

 private:
  static std::string needs() {
    return "a Parquet file needs Python with pyarrow or duckdb to be read: 'pip install pyarrow', and set SOTTO_PYTHON "
           "if it is not in the python3 of the path";
  }
  /// Takes meanwhile what the process complains about: one whose complaints nobody reads stops when the pipe is full.
  void await_text() {
    std::array<pollfd, 2> ends{{{text_.reader(), POLLIN, 0}, {errors_.reader(), POLLIN, 0}}};
    do {
      if (::poll(ends.data(), ends.size(), -1) < 0) {
        if (errno != EINTR) throw Error(ErrorKind::io, "waiting for a process failed", "data");
        ends[0].revents = ends[1].revents = 0;
      }
      if (ends[1].revents != 0 && !take_errors()) ends[1].fd = -1;
    } while (ends[0].revents == 0);
  }
  /// Of all that is said the beginning is kept; false at the end.
  bool take_errors() {
    constexpr std::size_t kMostShown = 1000;
    std::array<char, 4096> said{};
    const std::size_t count = errors_.read(said);
    message_.append(said.data(), std::min(count, kMostShown - message_.size()));
    return count > 0;
  }
  void finish() {
    while (take_errors()) {
    }
    int status = 0;
    pid_t ended = -1;
    do {
      ended = ::waitpid(process_, &status, 0);
    } while (ended < 0 && errno == EINTR);
    process_ = -1;
    if (ended >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (ended >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == kNoLibrary) {
      throw Error(ErrorKind::unsupported, name_ + ": " + needs(), "data");
    }
    throw Error(ErrorKind::invalid_data,
                name_ + ": " + (message_.empty() ? "the process that reads the Parquet file has ended" : message_),
                "data");
  }

  std::string name_;
  Pipe text_;
  Pipe errors_;
  std::string message_;
  pid_t process_ = -1;
};

bool has_table_name(const std::string& path) {
  std::string end = std::filesystem::path(path).extension().string();
  std::ranges::transform(end, end.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return end == ".parquet" || end == ".pq";
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

std::vector<std::string> files_of(const std::string& path) {
  if (!is_folder(path)) {
    if (::access(path.c_str(), R_OK) != 0) throw Error(ErrorKind::io, path + ": cannot be opened", "data");
    return {path};
  }
  std::vector<std::string> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(path, failed)) {
    if (has_table_name(entry.path().string())) files.push_back(entry.path().string());
  }
  if (files.empty()) throw Error(ErrorKind::io, path + ": is a directory without Parquet files", "data");
  std::ranges::sort(files);
  return files;
}

}  // namespace

bool is_table(const std::string& path) { return has_table_name(path) || is_folder(path); }

std::unique_ptr<ByteSource> open_table(const std::string& path) {
  return std::make_unique<ProcessSource>(path, files_of(path));
}

}  // namespace sotto
