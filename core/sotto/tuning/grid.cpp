#include "sotto/tuning/grid.h"

#include "sotto/base/error.h"

namespace sotto {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t last = std::min(text.find(separator, first), text.size());
    parts.emplace_back(text.substr(first, last - first));
    first = last + 1;
  }
  return parts;
}

}  // namespace

std::vector<Setting> parse_grid(std::string_view text) {
  constexpr std::size_t kMax = 1000;
  std::vector<Setting> settings{Setting{}};
  for (const std::string& column : split(text, ';')) {
    const std::size_t equals = column.find('=');
    require(equals != std::string::npos && equals > 0, "grid", "got '" + column + "', must be name=value,value,...");
    const std::string name = column.substr(0, equals);
    std::vector<Setting> grown;
    for (const std::string& value : split(std::string_view(column).substr(equals + 1), ',')) {
      require(!value.empty(), "grid", "has an empty value for " + name);
      for (Setting setting : settings) {
        setting.emplace_back(name, value);
        grown.push_back(std::move(setting));
      }
      require(grown.size() <= kMax, "grid", "has more than 1000 combinations");
    }
    settings = std::move(grown);
  }
  return settings;
}

std::string setting_text(const Setting& setting) {
  std::string text;
  for (const auto& [name, value] : setting) {
    if (!text.empty()) text += ' ';
    text.append(name).append("=").append(value);
  }
  return text;
}

}  // namespace sotto
