// Model files, by the reader of files and by the C boundary. What is accepted is written the same way for ever, and
// predicts or refuses. The text of the model ends at a zero byte; a row to predict may follow it.
#include <cstdint>
#include <string>

#include "capi/sotto_c.h"
#include "fuzz_status.h"
#include "sotto/base/error.h"
#include "sotto/model/model.h"

namespace {

using namespace sotto;

void round_trip(const std::string& text) {
  const Model model = model_from_text(text, "input");
  const std::string once = model_text(model);
  fuzz::demand(model_text(model_from_text(once, "written")) == once);
}

void predict(const std::string& text, const std::string& row) {
  sotto_error error{};
  sotto_model* model = nullptr;
  if (!fuzz::accepted(sotto_model_open(text.data(), text.size(), &model, &error), error)) return;
  const std::uint32_t classes = sotto_model_classes(model);
  std::uint32_t place = 0;
  if (classes <= 4096) {
    std::vector<double> shares(classes);
    if (fuzz::accepted(sotto_predict(model, row.data(), row.size(), &place, shares.data(), &error), error)) {
      fuzz::demand(place <= classes);
    }
  }
  if (fuzz::accepted(sotto_predict(model, row.data(), row.size(), &place, nullptr, &error), error)) {
    fuzz::demand(place <= classes);
  }
  sotto_model_free(model);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\0'), all.size());
  const std::string text = all.substr(0, end), row = end < size ? all.substr(end + 1) : R"({"age": 30, "job": "a"})";
  try {
    round_trip(text);
  } catch (const Error&) {
    // refused: as good as accepted
  }
  predict(text, row);
  return 0;
}
