#pragma once
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/data/row_sink.h"

namespace sotto::testing {

/// A file in a fresh temporary directory, removed with it.
class TempFile {
 public:
  TempFile(const std::string& name, std::string_view content) {
    std::string pattern = (std::filesystem::temp_directory_path() / "sotto_data_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    path_ = (directory_ / name).string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() { std::filesystem::remove_all(directory_); }
  const std::string& path() const { return path_; }
  std::string beside(const std::string& name) const { return (directory_ / name).string(); }
  void add(const std::string& name, std::string_view content) const {
    std::ofstream(beside(name), std::ios::binary) << content;
  }

 private:
  std::filesystem::path directory_;
  std::string path_;
};

/// `text` as one gzip member.
inline std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Kind and message of the Error that `action` throws; the message is empty when it throws none.
template <class Action>
std::pair<ErrorKind, std::string> error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  ADD_FAILURE() << "no error was thrown";
  return {ErrorKind::internal, ""};
}
template <class Action>
std::string message_of(Action&& action) {
  return error_of(std::forward<Action>(action)).second;
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Where the real data sets are, or empty. Never essential.
inline std::string real_data(const std::string& file) {
  const char* given = std::getenv("SOTTO_DATA");
  for (const std::string& folder : given != nullptr ? std::vector<std::string>{given}
                                                    : std::vector<std::string>{"../shared/data", "../../shared/data"}) {
    const std::string path = folder + "/" + file;
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

}  // namespace sotto::testing
