#include "library_pass.h"

#include "train_dense/problem.h"

namespace sotto::bench {

SgdOptions pass_options(std::size_t batch_rows, RowOrder order) {
  SgdOptions options;
  options.passes = 1;
  options.batch_rows = batch_rows;
  options.step = ConstantStep{kStepSize};
  options.order = order;
  return options;
}

Answer run_pass(Engine& engine, const LibraryPass& pass) {
  TrainRequest request;
  request.problem.lambda = pass.lambda;
  request.method = pass.method;
  request.budget.epsilon = 1;
  request.order_seed = 1;
  BitSource bits(ReproducibleSeed{1});
  return train(engine, request, bits).weights;
}

void RowByRow::scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) {
  struct Splitter final : RowConsumer {
    RowConsumer* next = nullptr;
    void consume(const RowBlock& block) noexcept override {
      for (std::size_t i = 0; i < block.rows; ++i) next->consume(block.slice(i, 1));
    }
  } splitter;
  splitter.next = &consumer;
  inner_.scan(order, pass, splitter);
}

}  // namespace sotto::bench
