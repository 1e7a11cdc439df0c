#include "hint_text.h"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <vector>

#include "field_flags.h"
#include "sotto/base/catalog.h"

namespace sotto::cli {
namespace {

/// "leave --passes out, or choose a --method that has it: bolt_on or dpsgd".
std::string other_choice(const Error& error) {
  const std::vector<std::string>& arguments = error.hint().arguments;
  const std::vector<std::string_view> members(arguments.begin() + 1, arguments.end());
  return fmt::format("leave {} out, or choose a {} that has it: {}", flag_of(error.field()), flag_of(arguments.front()),
                     join_names(members));
}

/// "did you mean --method bolt_on?"; of columns, which may have been named by several flags, the name alone.
std::string did_you_mean(const Error& error) {
  const std::vector<std::string>& arguments = error.hint().arguments;
  const std::vector<std::string_view> names(arguments.begin(), arguments.end());
  return fmt::format("did you mean {}{}?", error.field() == "columns" ? "" : flag_of(error.field()) + " ",
                     join_names(names));
}

std::string declare_columns(bool listed) {
  const std::string how = "--range NAME=MIN:MAX, --category NAME=VALUE,..., --ignore NAME and --data-norm declare them";
  return listed ? how : how + "; 'sotto data info' lists the columns";
}

std::string declare_column(const std::string& what, const std::string& column) {
  const std::string draft = "'sotto data schema FILE --label LABEL --out s.json' drafts all columns";
  const std::string unchecked = "; --no-check goes on with the rows as they are";
  if (what == "labels")
    return "declare the labels by --label-positive and --label-negative, or by --classes; " + draft + unchecked;
  if (what == "norm") {
    return (column.empty() ? "declare a larger --data-norm"
                           : "declare --range '" + column + "=MIN:MAX', or a larger --data-norm") +
           "; " + draft + unchecked;
  }
  if (what == "numbers") {
    return "leave it out by --ignore '" + column +
           "', or say in a --schema which texts mean that a number is missing; " + draft + unchecked;
  }
  return "declare them by --category '" + column + "=VALUE,...', or leave it out by --ignore '" + column + "'; " +
         draft + unchecked;
}

}  // namespace

std::string hint_text(const Error& error) {
  const std::vector<std::string>& arguments = error.hint().arguments;
  switch (error.hint().kind) {
    case HintKind::none: return "";
    case HintKind::say_field: return fmt::format("give it by {}", flag_of(error.field()));
    case HintKind::did_you_mean: return did_you_mean(error);
    case HintKind::other_choice: return other_choice(error);
    case HintKind::other_filter: return fmt::format("'sotto ledger create --filter {}' makes one", arguments.front());
    case HintKind::adding_filter:
      return fmt::format("a ledger made with --filter {} adds up epsilon and delta", arguments.front());
    case HintKind::say_header: return "say --no-header if it is one, or --header true if it names the columns";
    case HintKind::declare_columns: return declare_columns(arguments.front() == "listed");
    case HintKind::declare_column: return declare_column(arguments.front(), arguments.back());
    case HintKind::inspect_data: return "'sotto data info' tells where";
    case HintKind::pack_again: return "pack it again with 'sotto data pack'";
    case HintKind::schema_as_found: return "use the schema as 'sotto data bounds' wrote it";
    case HintKind::public_key: return "'sotto ledger key LEDGER --out FILE' writes one";
    case HintKind::move_ledger: return "if it is the one that counts from now on, say so with 'sotto ledger move'";
    case HintKind::finish_move: return "run 'sotto ledger move' again";
    case HintKind::former_is_gone: return "if nothing is left there, say so with --former-is-gone";
  }
  return "";
}

}  // namespace sotto::cli
