#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {

/// One combination of parameters, by their one spelling.
using Setting = std::vector<std::pair<std::string, std::string>>;

/// Every combination of "lambda=1e-4,1e-3;passes=5,10". Throws Error{invalid_argument} for text of another form or for
/// more than 1000 combinations.
std::vector<Setting> parse_grid(std::string_view text);
/// "lambda=1e-4 passes=5".
std::string setting_text(const Setting& setting);

}  // namespace sotto
