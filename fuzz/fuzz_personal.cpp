// Personal epsilons as text. What is accepted is written and read again the same.
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include "fuzz_demand.h"
#include "sotto/base/error.h"
#include "sotto/methods/personal_text.h"

namespace {

using namespace sotto;

void one_text(const std::string& text) {
  std::istringstream lines(text);
  const PersonalEpsilons read = read_epsilons(lines, "input", {}, 1 << 16);
  fuzz::demand(read.levels.size() <= PersonalEpsilons::kMaxLevels && read.level_of.size() <= 1 << 16);
  for (std::size_t i = 0; i < read.levels.size(); ++i) {
    fuzz::demand(std::isfinite(read.levels[i]) && read.levels[i] > 0);
    fuzz::demand(i == 0 || read.levels[i] < read.levels[i - 1]);
  }
  for (const std::uint8_t level : read.level_of) fuzz::demand(level < read.levels.size());
  std::istringstream written(epsilons_text(7, read));
  const PersonalEpsilons again = read_epsilons(written, "written", {}, 1 << 16);
  fuzz::demand(again.levels == read.levels && again.level_of == read.level_of);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    one_text({reinterpret_cast<const char*>(data), size});
  } catch (const Error& refused) {
    fuzz::demand(refused.kind() == ErrorKind::invalid_argument);
  }
  return 0;
}
