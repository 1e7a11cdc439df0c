#pragma once
#include <string>
#include <vector>

#include "sotto/report/figure.h"

/// The page of the replication, from the files its runner writes: report.json, and for each figure a JSON file and a
/// CSV file of the same name. docs/report.md has their fields.
namespace sotto::report {

/// A figure of a paper.
struct PaperFigure {
  std::string paper;   ///< key in the bibliography
  std::string number;  ///< "Figure 1"
  Figure figure;
};

/// A sentence of a paper, and what was measured.
struct Claim {
  std::string paper;
  std::string claim;
  std::string published;
  std::string measured;
  std::string verdict;  ///< the name of a verdict, or words
};

struct Replication {
  std::string title;
  std::string introduction;
  std::vector<PaperFigure> figures;
  std::vector<Claim> claims;
};

/// Reads `folder`/report.json and what it names. `page` is where the page will be: links to CSV files are relative to
/// it. Throws Error{io} for a file that is not there, Error{invalid_data} naming file and field for one that is wrong.
Replication read_replication(const std::string& folder, const std::string& page);

std::string html_of(const Replication& replication);

}  // namespace sotto::report
