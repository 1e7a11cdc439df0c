#include "sotto/files/fingerprint.h"

#include <vector>

#include "sotto/base/error.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/byte_source.h"
#include "sotto/files/reading.h"

namespace sotto {
namespace {

class TappedSource final : public ByteSource {
 public:
  TappedSource(std::unique_ptr<ByteSource> inner, std::shared_ptr<Sha256> hash)
      : inner_(std::move(inner)), hash_(std::move(hash)) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = inner_->read(buffer);
    hash_->add(buffer.first(count));
    return count;
  }
  const std::string& name() const noexcept override { return inner_->name(); }

 private:
  std::unique_ptr<ByteSource> inner_;
  std::shared_ptr<Sha256> hash_;
};

void read_to_end(ByteSource& source) {
  std::vector<char> buffer(std::size_t{1} << 20);
  while (source.read(buffer) != 0) {
  }
}

}  // namespace

std::unique_ptr<ByteSource> FingerprintTap::through(std::unique_ptr<ByteSource> source) {
  files_.push_back(std::make_shared<Sha256>());
  return std::make_unique<TappedSource>(std::move(source), files_.back());
}

Digest FingerprintTap::finish() {
  if (files_.size() == 1) return files_.front()->finish();
  Sha256 all;
  for (const auto& file : files_) all.add_text(hex_of(file->finish()));
  return all.finish();
}

Digest fingerprint_of(const BlockFile& file) {
  if (file.fingerprint()) return *file.fingerprint();
  throw Error(ErrorKind::unsupported, file.path() + ": this block file does not say which data it was made from",
              "data", {HintKind::pack_again});
}

Digest fingerprint_of(const std::string& path, const Schema& schema) {
  if (is_block_file(path)) return fingerprint_of(BlockFile(path));
  FingerprintTap tap;
  read_to_end(*tap.through(open_bytes(path)));
  if (format_of(path, schema) == FileFormat::idx) read_to_end(*tap.through(open_bytes(labels_path(path, schema))));
  return tap.finish();
}

}  // namespace sotto
