#pragma once
#include <CLI/CLI.hpp>

#include "data_flags.h"
#include "output.h"
#include "sotto/bounds.h"

namespace sotto::cli {

/// The flags of `train` that find bounds in the rows for a share of its budget.
class TrainBoundsFlags {
 public:
  TrainBoundsFlags(CLI::App& app, const SchemaFlags& schema);
  /// True if something is to be found.
  bool wanted() const { return columns_ || schema_.private_norm(); }
  /// What is to be found, for its share of the budget, which is taken from it.
  BoundsRequest share_of(Budget& budget) const;

 private:
  const SchemaFlags& schema_;
  bool columns_ = false;
  double share_ = 0.1;
  FieldFlags fields_;
};

/// Where bounds were found, and where their schema went.
struct BoundsPlaces {
  const std::string& data;
  const std::string& out;
};
/// What was found and what it cost.
void print_found(const Output& output, const BoundsPlaces& places, const FoundSchema& found);

}  // namespace sotto::cli
