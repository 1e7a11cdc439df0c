#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/report.h"

/// Event trees from bytes through every accountant: an answer is never negative, never NaN, never upside down, and a
/// refusal is an Error.
namespace {

using namespace sotto;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  /// Any double, or one of an everyday size.
  double number() {
    if (byte() & 1) return std::exp2((byte() - 128) / 8.0);
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | byte();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

Event event_from(Bytes& bytes, int depth) {
  switch (bytes.byte() % (depth > 0 ? 20 : 14)) {
    case 0: return PureEvent{bytes.number()};
    case 1: return ApproximateEvent{bytes.number(), bytes.number()};
    case 2: return L2LaplaceEvent{bytes.number()};
    case 3: return DiscreteLaplaceEvent{bytes.number()};
    case 4: return ScalarLaplaceEvent{bytes.number()};
    case 5: return ScalarDiscreteLaplaceEvent{bytes.number(), bytes.byte()};
    case 6: return GaussianEvent{bytes.number()};
    case 7: return DiscreteGaussianEvent{bytes.number()};
    case 8: return ExponentialEvent{bytes.number()};
    case 9: return PoissonSampledEvent{bytes.number(), bytes.number(), static_cast<NoiseLaw>(bytes.byte() % 3), 1};
    case 10: return FixedSizeSampledEvent{bytes.number(), bytes.number()};
    case 11: return WithReplacementEvent{bytes.number(), bytes.number(), bytes.byte()};
    case 12: return ZcdpEvent{bytes.number()};
    case 13: return ObjectiveEvent{bytes.number(), bytes.number(), bytes.number(), {{bytes.number(), bytes.number()}}};
    case 14: return repeat(event_from(bytes, depth - 1), bytes.byte());
    case 15: return sequence({event_from(bytes, depth - 1), event_from(bytes, depth - 1)});
    case 16:
      return parallel({event_from(bytes, depth - 1), event_from(bytes, depth - 1)},
                      static_cast<PartBy>(bytes.byte() % 3));
    case 17: return select_best(event_from(bytes, 0), PoissonRuns{bytes.number()});
    case 18: return OneOfEvent{{event_from(bytes, depth - 1), event_from(bytes, depth - 1)}};
    default: return select_best(event_from(bytes, 0), NegativeBinomialRuns{bytes.number(), bytes.number()});
  }
}

void verify(const AccountReport& report) {
  for (const AccountLine& line : report.lines) {
    if (!line.value) continue;
    if (!(line.value->lower >= 0 && line.value->upper >= line.value->lower)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const Relation relation = bytes.byte() & 1 ? Relation::replace_one : Relation::add_remove;
  const double delta = bytes.number(), epsilon = bytes.number();
  const Event event = event_from(bytes, 2);
  try {
    verify(account_epsilon(event, relation, delta));
  } catch (const Error&) {
  }
  try {
    verify(account_delta(event, relation, epsilon));
  } catch (const Error&) {
  }
  return 0;
}
