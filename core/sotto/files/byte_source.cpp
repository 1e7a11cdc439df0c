#include "sotto/files/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sotto/base/error.h"
#include "sotto/files/table_source.h"

namespace sotto {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

thread_local const ReadingWatch* watching = nullptr;

class FileSource final : public ByteSource {
 public:
  explicit FileSource(std::string path) : name_(std::move(path)) {
    std::error_code ignored;
    file_.reset(std::fopen(name_.c_str(), "rb"));
    if (!file_) throw Error(ErrorKind::io, name_ + ": cannot be opened: " + std::strerror(errno), "data");
    const std::uintmax_t size = std::filesystem::file_size(name_, ignored);
    if (!ignored) size_ = size;
  }
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file_.get());
    if (count == 0 && std::ferror(file_.get()) != 0) throw Error(ErrorKind::io, name_ + ": reading failed", "data");
    done_ += count;
    ReadingWatch::tell(done_, size_);
    return count;
  }
  const std::string& name() const noexcept override { return name_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uintmax_t size_ = 0;
  std::uintmax_t done_ = 0;
};

/// Gives back the first bytes, which were read to look at the magic number, before the rest.
class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> buffer) override {
    if (given_ == prefix_.size()) return rest_->read(buffer);
    const std::size_t count = prefix_.copy(buffer.data(), buffer.size(), given_);
    given_ += count;
    return count;
  }
  const std::string& name() const noexcept override { return rest_->name(); }

 private:
  std::string prefix_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

/// Streaming gzip; several members one after another read as one, as gunzip does.
class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)), packed_(kChunk) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw Error(ErrorKind::internal, "zlib did not start");
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), kChunk);
    if (size == 0) return 0;
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (!has_input()) {
        if (!between_members_) throw Error(ErrorKind::invalid_data, name() + ": compressed data is cut off", "data");
        return 0;
      }
      inflate_some();
    }
    return size - stream_.avail_out;
  }
  const std::string& name() const noexcept override { return inner_->name(); }

 private:
  bool has_input() {
    if (stream_.avail_in > 0) return true;
    const std::size_t count = inner_->read(packed_);
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(count);
    return count > 0;
  }
  void inflate_some() {
    if (between_members_) {
      inflateReset(&stream_);
      between_members_ = false;
    }
    const int status = inflate(&stream_, Z_NO_FLUSH);
    between_members_ = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      throw Error(ErrorKind::invalid_data, name() + ": compressed data is damaged", "data");
    }
  }

  std::unique_ptr<ByteSource> inner_;
  std::vector<char> packed_;
  z_stream stream_{};
  bool between_members_ = false;
};

}  // namespace

ReadingWatch::ReadingWatch(Hear hear) : hear_(std::move(hear)), outer_(watching) { watching = this; }

ReadingWatch::~ReadingWatch() { watching = outer_; }

void ReadingWatch::tell(std::uintmax_t bytes_read, std::uintmax_t size) {
  if (watching == nullptr || size == 0) return;
  watching->hear_(static_cast<double>(bytes_read) / static_cast<double>(size));
}

std::size_t MemorySource::read(std::span<char> buffer) {
  const std::size_t count = rest_.copy(buffer.data(), buffer.size());
  rest_.remove_prefix(count);
  return count;
}

std::unique_ptr<ByteSource> unpack_if_gzip(std::unique_ptr<ByteSource> inner) {
  std::string magic(2, '\0');
  magic.resize(read_fully(*inner, magic));
  const bool packed = magic == "\x1f\x8b";
  auto whole = std::make_unique<PrefixedSource>(std::move(magic), std::move(inner));
  if (!packed) return whole;
  return std::make_unique<GzipSource>(std::move(whole));
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  if (is_table(path)) return open_table(path);
  return unpack_if_gzip(std::make_unique<FileSource>(path));
}

std::size_t read_fully(ByteSource& source, std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const std::size_t count = source.read(buffer.subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  return filled;
}

std::string read_whole(const std::string& path, std::size_t limit) {
  const auto source = open_bytes(path);
  std::string text;
  std::vector<char> chunk(kChunk);
  while (const std::size_t count = source->read(chunk)) {
    text.append(chunk.data(), count);
    if (text.size() > limit) {
      throw Error(ErrorKind::invalid_data, path + ": longer than " + std::to_string(limit) + " bytes");
    }
  }
  return text;
}

}  // namespace sotto
