#include "seeded.h"

#include <cstring>
#include <ctime>
#include <vector>

#include "capi/block_engine.h"
#include "capi/boundary.h"
#include "capi/request.h"
#include "sotto/base/threads.h"
#include "sotto/engines/in_memory.h"

namespace sotto::capi {
namespace {

/// The reference engine with the blocks of the database, so that both draw the same order.
class ReferenceEngine final : public InMemoryEngine {
 public:
  ReferenceEngine(const Facts& facts, const RowBlock& rows, std::uint32_t block_rows)
      : InMemoryEngine(facts, rows), block_rows_(block_rows) {}
  std::uint32_t block_rows() const override { return block_rows_; }

 private:
  std::uint32_t block_rows_;
};

/// The rows of blocks that lie one after the other, row by row.
struct PlainRows {
  PlainRows(const sotto_rows& rows, const float* values) : facts(facts_of(rows.facts)) {
    const std::size_t in_block = rows.block_rows;
    for (std::uint64_t row = 0; row < facts.rows; ++row) {
      const float* block = values + row / in_block * in_block * (facts.features + 1);
      labels.push_back(block[row % in_block]);
      const float* first = block + in_block + row % in_block * facts.features;
      dense.insert(dense.end(), first, first + facts.features);
    }
  }
  RowBlock block() const {
    RowBlock all;
    all.rows = facts.rows;
    all.features = facts.features;
    all.labels = labels.data();
    all.dense = dense.data();
    return all;
  }
  Facts facts;
  std::vector<float> labels;
  std::vector<float> dense;
};

Vector trained(Engine& engine, const TrainRequest& request) {
  BitSource bits(ReproducibleSeed{42});
  return train(engine, request, bits).weights;
}

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double time_of(Engine& engine, const TrainRequest& request) {
  const double before = seconds();
  trained(engine, request);
  return seconds() - before;
}

}  // namespace
}  // namespace sotto::capi

using namespace sotto;
using namespace sotto::capi;

sotto_status sotto_test_engines_agree(const sotto_rows* rows, const float* values, const char* request, int* same,
                                      sotto_error* error) {
  return guarded(error, [&] {
    TrainRequest asked = asked_from(request).train;
    asked.order_seed = 7;
    const PlainRows plain(*rows, values);
    ReferenceEngine reference(plain.facts, plain.block(), rows->block_rows);
    const Vector there = trained(reference, asked);
    *same = 1;
    for (const unsigned threads : {1U, 2U, 5U}) {
      limit_sum_threads(threads);
      BlockEngine engine(*rows);
      const Vector here = trained(engine, asked);
      if (here.size() != there.size() || std::memcmp(here.data(), there.data(), here.size() * sizeof(double)) != 0)
        *same = 0;
    }
  });
}

sotto_status sotto_test_pass_time(const sotto_rows* rows, const float* values, const char* request, double times[3],
                                  sotto_error* error) {
  return guarded(error, [&] {
    const TrainRequest asked = asked_from(request).train;
    const PlainRows plain(*rows, values);
    ReferenceEngine reference(plain.facts, plain.block(), rows->block_rows);
    times[1] = time_of(reference, asked);
    const double before = seconds();
    BlockEngine engine(*rows);
    times[2] = seconds() - before;
    times[0] = time_of(engine, asked);
  });
}
