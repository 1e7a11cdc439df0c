#include "reading/task.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include "account/python_peer.h"
#include "sotto/data/encoder.h"
#include "sotto/files/complete.h"
#include "sotto/files/load.h"

namespace sotto::bench {
namespace {

constexpr std::size_t kFileBytes = std::size_t{200} << 20;

// Every question is answered by the number of rows plus the sum of the column y.
constexpr const char* kPeer = R"(
import sys
try:
    import pandas
    import pyarrow.csv, pyarrow.compute
except ImportError:
    sys.exit(1)
print('ready', flush=True)
for line in sys.stdin:
    who, path = line.split()
    if who == 'pandas':
        table = pandas.read_csv(path)
        print(len(table) + int(table['y'].sum()), flush=True)
    else:
        table = pyarrow.csv.read_csv(path)
        print(table.num_rows + pyarrow.compute.sum(table['y']).as_py(), flush=True)
)";

/// A file that is removed with it.
struct CsvFile {
  std::string path;
  std::uint64_t rows = 0;
  std::int64_t labels = 0;
  Schema schema;
  ~CsvFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

constexpr std::array kWords = {"clerk", "teacher", "self employed", "retired", "student", "none"};

std::shared_ptr<CsvFile> make_file(int numbers, int texts) {
  auto made = std::make_shared<CsvFile>();
  made->path = (std::filesystem::temp_directory_path() / fmt::format("sotto-bench-{}.csv", ::getpid())).string();
  std::ofstream file(made->path, std::ios::binary);
  std::string text;
  made->schema.label.column = "y";
  made->schema.range = Range{-1, 1};
  for (int i = 0; i < numbers; ++i) text += fmt::format("x{},", i + 1);
  for (int i = 0; i < texts; ++i) {
    text += fmt::format("t{},", i + 1);
    made->schema.columns.push_back({fmt::format("t{}", i + 1), CategoryColumn{{kWords.begin(), kWords.end()}}});
  }
  text += "y\n";
  std::mt19937_64 random(11);
  std::uniform_real_distribution<float> number(-1, 1);
  for (std::size_t written = 0; written < kFileBytes; text.clear()) {
    for (int i = 0; i < numbers; ++i) text += fmt::format("{},", number(random));
    for (int i = 0; i < texts; ++i) text += fmt::format("{},", kWords[random() % kWords.size()]);
    const int label = random() % 2 == 0 ? 1 : -1;
    text += fmt::format("{}\n", label);
    file << text;
    written += text.size();
    ++made->rows;
    made->labels += label;
  }
  return made;
}

Answer read_with(const CsvFile& file, const Encoder& encoder, unsigned threads) {
  const Dataset rows = read_dataset(file.path, encoder, threads);
  double sum = static_cast<double>(rows.facts().rows);
  for (std::uint64_t i = 0; i < rows.facts().rows; ++i) sum += static_cast<double>(rows.view().labels[i]);
  return {sum};
}

Task reading_task(const std::string& name, int numbers, int texts) {
  const auto file = make_file(numbers, texts);
  const auto encoder = std::make_shared<Encoder>(complete_for(file->path, file->schema));
  const Answer right{static_cast<double>(file->rows) + static_cast<double>(file->labels)};
  const auto expected = [=] { return right; };
  Task task{name, file->rows, {}, 5};
  task.contenders.push_back({"sotto", [=] { return read_with(*file, *encoder, 0); }, expected, {}, "all processors"});
  task.contenders.push_back({"sotto_one_thread", [=] { return read_with(*file, *encoder, 1); }, expected, {}, ""});
  const auto peer = std::make_shared<PythonPeer>(kPeer);
  if (!peer->ready()) {
    task.contenders.front().note += "; pandas and pyarrow skipped: no Python with both";
    return task;
  }
  for (const std::string who : {"pandas", "pyarrow"}) {
    task.contenders.push_back({who, [=] { return Answer{peer->ask(who + " " + file->path)}; }, expected, {}, ""});
    task.contenders.front().against.push_back({who, 1.0});
  }
  return task;
}

}  // namespace

Task reading_numbers_task() { return reading_task("reading_numbers", 28, 0); }
Task reading_texts_task() { return reading_task("reading_texts", 6, 8); }

}  // namespace sotto::bench
