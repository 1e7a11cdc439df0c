#pragma once
#include "sotto/data/dataset.h"
#include "sotto/files/block_file/block_file.h"

namespace sotto {

/// Reads and checks every block; the rows have the bits and the blocks they have in the file.
Dataset load_rows(const BlockFile& file);
/// The memory they take then: a function of public sizes, except through the number of sparse entries.
std::uint64_t loaded_bytes(const BlockFile& file) noexcept;

}  // namespace sotto
