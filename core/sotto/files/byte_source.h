#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

/// A stream of bytes read once from the front: a file, a compressed file, memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills the front of `buffer` and returns how many bytes it wrote; 0 means the end. Throws Error{io} or
  /// Error{invalid_data}.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// How messages call this source: the path as it was given.
  virtual const std::string& name() const noexcept = 0;
};

/// While one lives, the thread that made it hears, at each read of a file by open_bytes(), which fraction of the file's
/// bytes (packed ones if it is packed) has been read. A scope and no parameter: readers, encoders and whoever calls
/// them have nothing to do with it. Of several, the newest hears.
class ReadingWatch {
 public:
  using Hear = std::function<void(double fraction)>;
  explicit ReadingWatch(Hear hear);
  ~ReadingWatch();
  ReadingWatch(const ReadingWatch&) = delete;
  ReadingWatch& operator=(const ReadingWatch&) = delete;

  /// Told by a source; heard by nobody if this thread has no watch or the size is not known (0).
  static void tell(std::uintmax_t bytes_read, std::uintmax_t size);

 private:
  Hear hear_;
  const ReadingWatch* outer_;
};

/// Bytes that are already in memory; the caller keeps them alive.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes, std::string name = "memory") : rest_(bytes), name_(std::move(name)) {}
  std::size_t read(std::span<char> buffer) override;
  const std::string& name() const noexcept override { return name_; }

 private:
  std::string_view rest_;
  std::string name_;
};

/// Opens a file. A Parquet file or a folder of them gives the text of its table (table_source.h). A file that begins with the gzip magic number is unpacked on the way, whatever it is called.
/// Throws Error{io} when it cannot be read.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

/// Unpacks `inner` when it begins with the gzip magic number, otherwise passes it through. A stream that ends early or
/// fails its checksum is Error{invalid_data}.
std::unique_ptr<ByteSource> unpack_if_gzip(std::unique_ptr<ByteSource> inner);

/// Fills all of `buffer` unless the source ends first; returns the number of bytes written.
std::size_t read_fully(ByteSource& source, std::span<char> buffer);

/// Everything in the file at `path`, unpacked; Error{invalid_data} when it is longer than `limit` bytes.
std::string read_whole(const std::string& path, std::size_t limit);

}  // namespace sotto
