// One identity for the same raw data: by content, not by name, compression or packing.
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "sotto/base/error.h"
#include "sotto/data/encoder.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"
#include "sotto/files/block_file/pack.h"
#include "sotto/files/complete.h"
#include "sotto/files/fingerprint.h"
#include "sotto/files/load.h"

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
  other.header = HeaderLine::absent;
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
  EXPECT_EQ(load_rows(BlockFile(path)).facts().rows, 3U);
}

TEST_F(Fingerprint, ABlockFileOfUnknownSourceIsReadButNotIdentified) {
  const std::string path = pack(std::nullopt);
  EXPECT_EQ(load_rows(BlockFile(path)).facts().rows, 3U);
  EXPECT_THROW(fingerprint_of(path, {}), Error);
}

TEST_F(Fingerprint, WhatIsTakenWhileRowsAreReadIsTheSame) {
  const auto same = [&](const std::string& path, const Schema& schema) {
    const Schema complete = complete_for(path, schema);
    const auto [rows, fingerprint] = read_fingerprinted(path, Encoder(complete));
    EXPECT_EQ(rows.facts().rows, 2U);
    EXPECT_EQ(fingerprint, fingerprint_of(path, schema)) << path;
    const auto counted = count_rows(path, schema);
    EXPECT_EQ(counted.value.rows, 2U);
    EXPECT_EQ(counted.fingerprint, fingerprint) << path;
  };
  Schema schema;
  schema.intercept = 0;
  schema.data_norm = 1;
  schema.label.column = "y";
  // Every line end, skipped line and blank is part of the data's identity, read or not.
  schema.skip_lines = 1;
  same(write("a.csv", "a remark\nx,y\r\n1,1\n2,-1"), schema);
  schema.skip_lines = 0;
  same(write("b.csv", "x,y\n1,1\n2,-1\n\n\n"), schema);
  schema.label.column = "";
  schema.features = 3;
  same(write("c.libsvm", "1 1:0.5\n-1 3:1 # end\n"), schema);
  schema.features = 0;
  const std::string two = std::string("\0\0\0\x02", 4);
  write("d-labels-idx1-ubyte", std::string("\0\0\x08\x01", 4) + two + std::string("\0\1", 2));
  same(write("d-images-idx3-ubyte", std::string("\0\0\x08\x02", 4) + two + two + "abcd"), schema);
}

TEST_F(Fingerprint, AKeyedDigestIsHmac) {
  Digest key{};
  key.fill(0x0b);
  // Computed with another implementation of RFC 2104.
  EXPECT_EQ(hex_of(hmac_sha256(key, "Hi There")), "198a607eb44bfbc69903a0f1cf2bbdc5ba0aa3f3d9ae3c1c7a3b1696a0b68cf7");
}

}  // namespace
}  // namespace sotto::test
