#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/data/encoder.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/optim/engine.h"

/// Files as sources of rows. Reads headers, and rows only when they are opened.
namespace sotto {

/// Which engine feeds the rows. automatic: rows of a block file that fit memory_mb are kept in memory, others stay on
/// disk, as with out_of_core; text is read into memory. Weights have the same bits either way.
enum class EngineKind { automatic, in_memory, out_of_core };
constexpr auto enum_names(EngineKind) {
  return std::array{std::pair{std::string_view("auto"), EngineKind::automatic},
                    std::pair{std::string_view("in_memory"), EngineKind::in_memory},
                    std::pair{std::string_view("out_of_core"), EngineKind::out_of_core}};
}
struct EngineChoice {
  EngineKind kind = EngineKind::automatic;
  std::uint32_t memory_mb = 0;  ///< for rows of block files; 0: half of the free memory (base/free_memory.h)
};

/// A text or IDX file, read into memory through its schema, which must be complete.
std::unique_ptr<RowSource> text_rows(const std::string& path, const Schema& schema);
/// A block file, which carries its own schema. What is opened later must have the same.
std::unique_ptr<RowSource> block_rows(const BlockFile& file, const EngineChoice& choice);

}  // namespace sotto
