#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "field_flags.h"
#include "sotto/request.h"

namespace sotto::cli {

/// The flags that say what is trained and what may be spent, shared by `plan` and `train`.
class RequestFlags {
 public:
  explicit RequestFlags(CLI::App& app);
  /// The request the flags stand for; throws Error{invalid_argument} for a flag the method has no use for.
  TrainRequest request() const;

 private:
  std::string method_ = "auto";
  FieldFlags problem_;
  FieldFlags parameters_;
  FieldFlags budget_;
};

}  // namespace sotto::cli
