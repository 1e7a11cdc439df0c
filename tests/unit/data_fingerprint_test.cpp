// One identity for the same raw data: by content, not by name, compression or packing.
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "sotto/base/error.h"
#include "sotto/data/block_file.h"
#include "sotto/data/fingerprint.h"
#include "sotto/data/pack.h"

namespace sotto::test {
namespace {

class Fingerprint : public testing::Test {
 protected:
  Fingerprint() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sotto-print-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Fingerprint() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
    return folder_ + "/" + name;
  }
  std::string pack(const std::optional<Digest>& fingerprint) const {
    BitSource bits;
    const std::string path = folder_ + "/rows.blk";
    BlockFileWriter writer(
        path, {.features = 1, .data_norm = 1, .sparse = false, .metadata = "{}", .fingerprint = fingerprint}, bits);
    const float x = 0.5F;
    for (int i = 0; i < 3; ++i) writer.add_dense(std::span(&x, 1), 1.0F);
    writer.finish();
    return path;
  }
  std::string folder_;
};

TEST_F(Fingerprint, IsTheSha256OfTheBytes) {
  EXPECT_EQ(hex_of(fingerprint_of(write("a.csv", "abc"), {})),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(Fingerprint, DependsOnContentAndNotOnNameSchemaOrCompression) {
  const std::string rows = "x,y\n1,1\n2,-1\n";
  const Digest digest = fingerprint_of(write("a.csv", rows), {});
  Schema other;
  other.header = false;
  EXPECT_EQ(fingerprint_of(write("b.tsv", rows), other), digest);
  gzFile packed = gzopen((folder_ + "/c.csv.gz").c_str(), "wb");
  gzwrite(packed, rows.data(), static_cast<unsigned>(rows.size()));
  gzclose(packed);
  EXPECT_EQ(fingerprint_of(folder_ + "/c.csv.gz", {}), digest);
  EXPECT_NE(fingerprint_of(write("a.csv", rows + "3,1\n"), {}), digest);
}

TEST_F(Fingerprint, AnImageFileIsIdentifiedWithItsLabels) {
  const std::string images = write("a-images-idx3-ubyte", "items"), labels = write("a-labels-idx1-ubyte", "one");
  const Digest digest = fingerprint_of(images, {});
  write("a-labels-idx1-ubyte", "two");
  EXPECT_NE(fingerprint_of(images, {}), digest);
}

TEST_F(Fingerprint, ABlockFileCarriesTheOneOfItsSource) {
  const Digest source = sha256("the source");
  const std::string path = pack(source);
  EXPECT_EQ(fingerprint_of(path, {}), source);
  EXPECT_EQ(BlockFile(path).metadata(), "{}");
  EXPECT_EQ(load_rows(BlockFile(path)).labels.size(), 3U);
}

TEST_F(Fingerprint, ABlockFileOfUnknownSourceIsReadButNotIdentified) {
  const std::string path = pack(std::nullopt);
  EXPECT_EQ(load_rows(BlockFile(path)).labels.size(), 3U);
  EXPECT_THROW(fingerprint_of(path, {}), Error);
}

}  // namespace
}  // namespace sotto::test
