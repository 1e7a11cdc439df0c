#include "capi/hint_text.h"

#include <string_view>
#include <vector>

#include "sotto/base/catalog.h"

namespace sotto::capi {
namespace {

/// "Leave passes out, or choose a method that has it: bolt_on or dpsgd."
std::string other_choice(const Error& error) {
  const std::vector<std::string>& arguments = error.hint().arguments;
  const std::vector<std::string_view> members(arguments.begin() + 1, arguments.end());
  return "Leave " + error.field() + " out, or choose a " + arguments.front() + " that has it: " + join_names(members) +
         ".";
}

std::string did_you_mean(const std::vector<std::string>& names) {
  return "Perhaps " + join_names({names.begin(), names.end()}) + " is meant.";
}

/// Those who register data sets, and nobody else, open ledgers here.
std::string by_filter(const std::string& filter) {
  return "Whoever registers the data set chooses its filter, by options => '{\"filter\": \"" + filter + "\"}'";
}

constexpr const char* kMove = "sotto.move_ledger(dataset)";

std::string declare_column(const std::string& what, const std::string& column) {
  const std::string unchecked = " options => '{\"check\": false}' takes the rows as they are.";
  if (what == "labels") {
    return "Declare the texts of the labels, by options => '{\"positive\": [...], \"negative\": [...]}' or "
           "\"classes\". Those of "
           "a boolean are true and false." +
           unchecked;
  }
  if (what == "norm")
    return "Declare a range for it by features => '{...}', or a larger data_norm by options." + unchecked;
  return "Declare its values as texts by features => '{\"" + column +
         "\": [\"...\"]}', or leave it out. Those of a boolean are true and false." + unchecked;
}

}  // namespace

std::string hint_text(const Error& error) {
  const std::vector<std::string>& arguments = error.hint().arguments;
  switch (error.hint().kind) {
    case HintKind::none: return "";
    case HintKind::say_field: return "Give " + error.field() + " a value.";
    case HintKind::did_you_mean: return did_you_mean(arguments);
    case HintKind::other_choice: return other_choice(error);
    case HintKind::other_filter: return by_filter(arguments.front()) + ".";
    case HintKind::adding_filter: return by_filter(arguments.front()) + "; that one adds up epsilon and delta.";
    case HintKind::say_header: return "Say in the schema whether the first line is the header.";
    case HintKind::declare_columns: return "Declare the columns by features => '{...}', or data_norm by options.";
    case HintKind::declare_column: return declare_column(arguments.front(), arguments.back());
    case HintKind::inspect_data: return "The owner of the table can look for it.";
    case HintKind::pack_again:
    case HintKind::schema_as_found: return "Register the data set again.";
    case HintKind::public_key: return "sotto.public_key(dataset) gives one.";
    case HintKind::move_ledger:
      return std::string("If this database is the one that counts from now on, say so with ") + kMove + ".";
    case HintKind::finish_move: return std::string("Call ") + kMove + " again.";
    case HintKind::former_is_gone: return std::string("Make the place reachable, then call ") + kMove + " again.";
  }
  return "";
}

}  // namespace sotto::capi
