#include "output.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "colour.h"

namespace sotto::cli {

void Output::print(const std::string& text) const { print_as_is(!json && coloured(stdout) ? painted(text) : text); }

void Output::print_as_is(const std::string& text) const {
  end_progress();
  fmt::print("{}\n", text);
}

void Output::remark(const std::string& text) const {
  if (text.empty()) return;
  end_progress();
  if (json) {
    fmt::print(stderr, "{}\n", nlohmann::ordered_json{{"remark", text}}.dump());
  } else {
    fmt::print(stderr, "sotto: {}\n", text);
  }
}

void Output::warn(const std::vector<Warning>& warnings) const {
  if (json) return;
  for (const Warning& each : warnings) remark("warning: " + each.text);
}

void Output::check(const RowCheck& check) const {
  if (bar != nullptr) bar->clear();  // the training is still to come
  if (!json) return fmt::print(stderr, "sotto: {}\n", check_text(check));
  fmt::print(stderr, "{{\"check\":{}}}\n", check_json(check));
}

void Output::progress(std::string_view what, double fraction) const {
  if (bar != nullptr) bar->update(what, fraction);
}

void Output::end_progress() const {
  if (bar != nullptr) bar->end();
}

}  // namespace sotto::cli
