#include "output.h"

#include <fmt/format.h>

namespace sotto::cli {

void Output::print(const std::string& text) const {
  end_progress();
  fmt::print("{}\n", text);
}

void Output::progress(std::string_view what, double fraction) const {
  if (bar != nullptr) bar->update(what, fraction);
}

void Output::end_progress() const {
  if (bar != nullptr) bar->end();
}

}  // namespace sotto::cli
