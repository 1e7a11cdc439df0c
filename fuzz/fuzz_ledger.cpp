// Ledger and anchor files. The first byte chooses the file and how it is changed: replaced by the rest of the input,
// cut, or changed at places (three bytes of offset and one to put there, again and again). What cannot be told from the
// honest files tells their story; the rest is refused.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "fuzz_demand.h"
#include "sotto/base/error.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"

namespace {

using namespace sotto;
namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// In place: the file stays the one the ledger knows by its number.
void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc) << bytes;
}

std::string story_of(const std::string& path) {
  SqliteLedger ledger(path);
  ledger.verify();
  std::string text;
  for (const LedgerRecord& record : ledger.records()) text += hex_of(record.hash) + "\n";
  for (const LedgerEntry& entry : ledger.entries()) {
    if (entry.state == EntryState::released) text += ledger.bytes_of(entry);
  }
  return text + Filter::text_of(ledger.filter().spent());
}

/// A ledger with a release and a reservation, as honest files.
struct Honest {
  std::string folder, path, ledger, anchor, story;

  Honest() {
    const fs::path memory = fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    folder = (memory / ("sotto_fuzz_ledger_" + std::to_string(::getpid()))).string();
    fs::create_directories(folder);
    path = folder + "/L";
    LedgerTerms terms;
    terms.filter.kind = FilterKind::sum;
    terms.filter.budget = {1, 0, Relation::replace_one};
    terms.rows = 60;
    SqliteLedger::create(path, terms, sha256("some data"));
    {
      SqliteLedger open(path);
      Reservation first = open.reserve({PureEvent{0.1}, 0, "first"});
      open.release(std::move(first), "the first model");
      open.reserve({PureEvent{0.1}, 0, "second"});
    }
    ledger = bytes_of(path);
    anchor = bytes_of(path + ".anchor");
    story = story_of(path);
  }
  Honest(const Honest&) = delete;
  Honest& operator=(const Honest&) = delete;
  ~Honest() { fs::remove_all(folder); }
};

std::string changed(std::string bytes, unsigned how, const std::string& by) {
  if (how == 0) return by;
  const auto number = [&](std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 3; ++i) value = value << 8 | static_cast<unsigned char>(by[at + i]);
    return value;
  };
  if (how == 1) return by.size() < 3 ? bytes : bytes.substr(0, number(0));
  for (std::size_t at = 0; at + 4 <= by.size(); at += 4) {
    const std::size_t place = number(at) % bytes.size();
    bytes[place] = static_cast<char>(how == 2 ? by[at + 3] : bytes[place] ^ by[at + 3]);
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Honest honest;
  if (size == 0) return 0;
  const std::string by(reinterpret_cast<const char*>(data) + 1, size - 1);
  const unsigned how = data[0] >> 1 & 3;
  for (const char* left : {"-wal", "-shm", "-journal"}) fs::remove(honest.path + left);
  put(honest.path, (data[0] & 1) != 0 ? honest.ledger : changed(honest.ledger, how, by));
  put(honest.path + ".anchor", (data[0] & 1) != 0 ? changed(honest.anchor, how, by) : honest.anchor);
  try {
    fuzz::demand(story_of(honest.path) == honest.story);
  } catch (const Error&) {
    // refused: as good as noticed
  }
  return 0;
}
