// Every view of an engine's rows keeps the contract of an engine: any scan order visits the view's own positions in that
// order, and a cancelled or changed engine is noticed through it. A new view is one line in kViews.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "sotto/base/error.h"
#include "sotto/data/dataset.h"
#include "sotto/data/projection.h"
#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/optim/views/one_against_rest.h"
#include "sotto/optim/views/projected_rows.h"
#include "sotto/optim/views/some_rows.h"
#include "sotto/optim/views/weighted_engine.h"
#include "sotto/optim/views/whitened_rows.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;

constexpr std::uint32_t kFeatures = 6;
constexpr std::uint32_t kRows = 1500;  // more than one run of SomeRows

const Projection& some_map() {
  static const Projection map{GaussianProjection{.dimensions = 3, .key = 5}, kFeatures, false};
  return map;
}

Whitening some_whitening() {
  Whitening whitening{kFeatures, Vector(std::size_t{kFeatures} * kFeatures, 0.0)};
  for (std::size_t k = 0; k < kFeatures; ++k) whitening.matrix[k * kFeatures + k] = 1.0 + static_cast<double>(k);
  return whitening;
}

std::vector<float> some_weights() {
  std::vector<float> weights;
  for (std::uint32_t i = 0; i < kRows; ++i) weights.push_back(static_cast<float>(i % 16) / 16.0F);
  return weights;
}

using MakeView = std::unique_ptr<Engine> (*)(Engine& rows);
struct NamedView {
  const char* name;
  MakeView make;
};
const std::array<NamedView, 6> kViews = {{
    {"some_rows", [](Engine& rows) -> std::unique_ptr<Engine> { return std::make_unique<SomeRows>(rows); }},
    {"one_against_rest",
     [](Engine& rows) -> std::unique_ptr<Engine> { return std::make_unique<OneAgainstRest>(rows, 1); }},
    {"projected_rows_kept",
     [](Engine& rows) -> std::unique_ptr<Engine> { return std::make_unique<ProjectedRows>(rows, some_map()); }},
    {"projected_rows_made_anew",
     [](Engine& rows) -> std::unique_ptr<Engine> { return std::make_unique<ProjectedRows>(rows, some_map(), 0); }},
    {"whitened_rows",
     [](Engine& rows) -> std::unique_ptr<Engine> { return std::make_unique<WhitenedRows>(rows, some_whitening()); }},
    {"weighted_engine",
     [](Engine& rows) -> std::unique_ptr<Engine> { return std::make_unique<WeightedEngine>(rows, some_weights()); }},
}};

/// Rows and their weights in the order in which they came.
struct Seen : RowConsumer {
  void consume(const RowBlock& block) noexcept override {
    collect(block, rows);
    for (std::size_t i = 0; i < block.rows; ++i) weights.push_back(block.weights != nullptr ? block.weights[i] : 1.0F);
  }
  bool operator==(const Seen& other) const { return rows == other.rows && weights == other.weights; }
  std::vector<Row> rows;
  std::vector<float> weights;
};

/// A pass by its definition: the view's rows as stored, put in the order of the windows.
Seen defined(const Engine& view, const ScanOrder& order, std::uint32_t pass) {
  Seen stored, ordered;
  const std::uint64_t count = view.facts().rows;
  view.scan_rows(0, count, stored);
  if (order.kind == ScanOrder::Kind::stored) return stored;
  ScanOrder::Window window;
  for (std::uint64_t w = 0; w < order.window_count(count); ++w) {
    order.window(count, pass, w, window);
    for (const std::uint64_t row : window.rows) {
      ordered.rows.push_back(stored.rows[row]);
      ordered.weights.push_back(stored.weights[row]);
    }
  }
  return ordered;
}

void expect_orders_kept(Engine& rows) {
  for (const NamedView& named : kViews) {
    const std::unique_ptr<Engine> view = named.make(rows);
    EXPECT_EQ(view->block_rows(), rows.block_rows()) << named.name;
    for (const bool fresh : {false, true}) {
      for (const auto kind : {ScanOrder::Kind::stored, ScanOrder::Kind::shuffled}) {
        const ScanOrder order{
            .kind = kind, .fresh = fresh, .block_rows = rows.block_rows(), .buffer_rows = 300, .key = {1, 2, 3, 4}};
        for (std::uint32_t pass = 0; pass < 2; ++pass) {
          Seen seen;
          view->scan(order, pass, seen);
          EXPECT_EQ(seen.rows.size(), view->facts().rows) << named.name;
          EXPECT_TRUE(seen == defined(*view, order, pass)) << named.name << ", pass " << pass;
        }
      }
    }
  }
}

class ViewLaws : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(DenseAndSparse, ViewLaws, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "sparse" : "dense"; });

TEST_P(ViewLaws, EveryOrderVisitsTheRowsOfAViewInThatOrder) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  pack_rows(path, make_rows(kRows, kFeatures, GetParam()), kFeatures, GetParam());
  InMemoryEngine memory(load_rows(BlockFile(path)));
  expect_orders_kept(memory);
  OutOfCoreEngine file(path);
  expect_orders_kept(file);
}

TEST_P(ViewLaws, EveryViewFeedsItsRowsAtGivenPositions) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  pack_rows(path, make_rows(kRows, kFeatures, GetParam()), kFeatures, GetParam());
  InMemoryEngine memory(load_rows(BlockFile(path)));
  for (const NamedView& named : kViews) {
    const std::unique_ptr<Engine> view = named.make(memory);
    const std::uint64_t last = view->facts().rows - 1;
    const std::vector<std::uint64_t> positions = {0, 1, 2, 7, last / 2, last};
    Seen expected, fed;
    for (const std::uint64_t position : positions) view->scan_rows(position, 1, expected);
    view->scan_positions(positions, fed);
    EXPECT_TRUE(fed == expected) << named.name;
  }
}

/// Rows that were changed by somebody else, for a caller that has gone.
class LostEngine final : public InMemoryEngine {
 public:
  using InMemoryEngine::InMemoryEngine;
  void poll(std::uint64_t /*rows*/) const override { throw Error(ErrorKind::io, "cancelled"); }
  void require_unchanged() const override { throw Error(ErrorKind::invalid_data, "changed"); }
};

TEST_P(ViewLaws, WhatAViewIsToldReachesTheEngine) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  pack_rows(path, make_rows(kRows, kFeatures, GetParam()), kFeatures, GetParam());
  LostEngine lost(load_rows(BlockFile(path)));
  for (const NamedView& named : kViews) {
    const std::unique_ptr<Engine> view = named.make(lost);
    EXPECT_THROW(view->poll(1), Error) << named.name;
    EXPECT_THROW(view->require_unchanged(), Error) << named.name;
  }
}

}  // namespace
}  // namespace sotto
