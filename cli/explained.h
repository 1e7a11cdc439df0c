#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sotto/model/json.h"

/// What `explain` says about a word: of docs/methods.md and the glossary what it means, of the catalogue parameters,
/// defaults and reference, of a filter what it would allow.
namespace sotto::cli {

/// Throws Error{invalid_argument} for a word that is not known, with the nearest ones.
std::string explained(const std::string& word);
Json explained_json(const std::string& word);

/// All words, by kind.
std::string explained_list();
Json explained_list_json();
/// Their names; valid as long as the program runs.
const std::vector<std::string_view>& explained_names();

}  // namespace sotto::cli
