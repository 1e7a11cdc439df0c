// Trains tiny models against one ledger until the budget is spent, saying so after each: for tests that run several of
// it and kill them. Usage: ledger_spender <ledger> <name> <epsilon>. Prints "opened", then "<entry>" for every model it
// was given; ends with 4 when the budget is spent.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "sotto/base/error.h"
#include "sotto/data/dataset.h"
#include "sotto/engines/in_memory.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/train.h"

namespace {

using namespace sotto;

/// Four rows, and the file that the ledger was made for.
class FewRows final : public RowSource {
 public:
  Facts facts(std::uint64_t rows) const override { return {rows, 1, 1.0, false}; }
  Digest fingerprint() const override { return sha256("x1,y\n0.5,1\n-0.5,-1\n0.25,1\n-0.25,-1\n"); }
  std::unique_ptr<Engine> open() override {
    DatasetBuilder builder({4, 1, 1.0, false});
    for (const float x : {0.5F, -0.5F, 0.25F, -0.25F}) builder.add_dense(std::span(&x, 1), x > 0 ? 1.0F : -1.0F);
    auto rows = std::make_shared<const Dataset>(builder.finish());
    return std::make_unique<InMemoryEngine>(rows->facts(), rows->view(), rows);
  }
  Opened open_fingerprinted() override { return {open(), fingerprint()}; }
};

/// One system call, so that what was acknowledged is either whole in the pipe or not there.
void say(const std::string& text) {
  const std::string line = text + "\n";
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(1);
}

void spend(const std::string& path, const std::string& name, double epsilon) {
  SqliteLedger ledger(path);
  say("opened");
  FewRows rows;
  BitSource bits;
  TrainRequest request;
  request.problem = {Logistic{}, 0.1};
  request.method = BoltOn{.mechanism = MechanismChoice::discrete_laplace};
  request.budget = {epsilon, 0, Relation::replace_one};
  for (std::uint64_t i = 0;; ++i) {
    request.order_seed = i;
    request.encoding = R"({"spender":")" + name + "\"}";
    say(std::to_string(train(rows, request, bits, {ledger, true}).model.card.budget.entry));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    spend(argv[1], argv[2], std::stod(argv[3]));
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.kind() == ErrorKind::budget_exceeded ? 4 : 1;
  }
  return 0;
}
