#include "sotto/data/fingerprint.h"

#include <vector>

#include "sotto/base/error.h"
#include "sotto/data/block_file.h"
#include "sotto/data/byte_source.h"
#include "sotto/data/load.h"

namespace sotto {
namespace {

Digest digest_of(const std::string& path) {
  const auto source = open_bytes(path);
  std::vector<char> buffer(std::size_t{1} << 20);
  Sha256 hash;
  while (const std::size_t count = source->read(buffer)) hash.add(std::span(buffer).first(count));
  return hash.finish();
}

}  // namespace

Digest fingerprint_of(const std::string& path, const Schema& schema) {
  if (is_block_file(path)) {
    const BlockFile file(path);
    if (file.fingerprint()) return *file.fingerprint();
    throw Error(
        ErrorKind::unsupported,
        path + ": this block file does not say which data it was made from; pack it again with 'sotto data pack'",
        "data");
  }
  if (format_of(path, schema) != FileFormat::idx) return digest_of(path);
  Sha256 both;
  both.add_text(hex_of(digest_of(path)));
  both.add_text(hex_of(digest_of(labels_path(path, schema))));
  return both.finish();
}

}  // namespace sotto
