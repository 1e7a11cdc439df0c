#pragma once
#include <string>
#include <vector>

#include "sotto/model/json.h"
#include "sotto/request.h"

/// What a request should make its maker stop and think about. Only public facts are looked at, so a warning is free and
/// may be shown to anybody, before a training and after it.
namespace sotto {

/// `code` is one word for programs, `text` one sentence for people with what to do.
struct Warning {
  std::string code;
  std::string text;
  bool operator==(const Warning&) const = default;
};

/// `card`: of the plan of this request, or of the model that was trained by it.
std::vector<Warning> warnings_of(const TrainRequest& request, const PrivacyCard& card);

/// A list of objects with `code` and `text`.
Json to_json(const std::vector<Warning>& warnings);

/// How large the noise is beside the most that all rows together could add to what is noised, in one number for the
/// whole run: E|noise| / (rows x one row's share of the sensitivity), repeated sums averaged. 0 where nothing is known.
double noise_share(const TrainRequest& request, const PrivacyCard& card);

}  // namespace sotto
