#include "sotto/tuning/parts.h"

#include "sotto/base/error.h"
#include "sotto/data/dataset.h"

namespace sotto {
namespace {

constexpr std::uint64_t kTweak = 0x7061727473;  // no other permutation under the same key has it

class Dealer final : public RowConsumer {
 public:
  Dealer(const KeyedPermutation& places, std::vector<Dataset>& hands) : places_(places), hands_(hands) {}
  void consume(const RowBlock& block) noexcept override {
    for (std::size_t i = 0; i < block.rows; ++i) {
      hands_[part_of(places_, position_++, hands_.size())].append(block.slice(i, 1));
    }
  }

 private:
  const KeyedPermutation& places_;
  std::vector<Dataset>& hands_;
  std::uint64_t position_ = 0;
};

}  // namespace

std::uint64_t part_of(const KeyedPermutation& places, std::uint64_t position, std::uint64_t parts) noexcept {
  return places(position) % parts;
}

Facts part_facts(const Facts& whole, std::uint64_t parts, std::uint64_t part) {
  require(parts > 0 && parts <= whole.rows, "grid", "has more combinations than there are rows to split");
  Facts facts = whole;
  facts.rows = whole.rows / parts + (part < whole.rows % parts ? 1 : 0);
  return facts;
}

std::vector<std::unique_ptr<Engine>> split_rows(const Engine& rows, const KeyedPermutation::Key& key,
                                                std::uint64_t parts) {
  const Facts facts = rows.facts();
  std::vector<Dataset> hands;
  for (std::uint64_t p = 0; p < parts; ++p) {
    const Facts part = part_facts(facts, parts, p);
    hands.emplace_back(part, rows.block_rows()).reserve(part.rows, 0);
  }
  const KeyedPermutation places(key, kTweak, facts.rows);
  Dealer dealer(places, hands);
  rows.scan_rows(0, facts.rows, dealer);
  std::vector<std::unique_ptr<Engine>> engines;
  for (std::uint64_t p = 0; p < parts; ++p) {
    if (hands[p].facts().rows != part_facts(facts, parts, p).rows) {
      throw Error(ErrorKind::internal, "the engine did not feed as many rows as its facts say");
    }
    engines.push_back(std::make_unique<InMemoryEngine>(std::move(hands[p])));
  }
  return engines;
}

}  // namespace sotto
