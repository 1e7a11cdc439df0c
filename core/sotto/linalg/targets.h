#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Which instruction sets the kernels can run with: for the tests and benchmarks that compare them.
namespace sotto::kernels {

/// The instruction sets this program has code for and this CPU can execute, best first.
std::vector<std::string> available_targets();

/// Makes every later kernel call use the named instruction set, or the best one when the name is empty. False, and
/// nothing changes, when it is not available. The bits of every result stay the same.
bool use_target(std::string_view name);

}  // namespace sotto::kernels
