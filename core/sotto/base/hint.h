#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What would help against an error, as a value. The library names no flag, keyword, option or command; each front end
/// has one function that words a hint in its own language, and a new kind does not compile until every one has words.
namespace sotto {

enum class HintKind {
  none,
  say_field,        ///< the field has no default: the caller says it
  did_you_mean,     ///< {name...}: what was given is near to these, which the field may be
  other_choice,     ///< {choice, member...}: leave the field out, or let `choice` be one of these, which have it
  other_filter,     ///< {filter...}: ledgers with these filters take the request
  adding_filter,    ///< {filter}: a ledger with this filter adds up epsilon and delta
  say_header,       ///< say whether the first line is a row or names the columns
  declare_columns,  ///< {"listed" or "unlisted"}: declare columns, which the message lists or does not
  declare_column,  ///< {what, column}: declare better what the check of the rows stumbled over (data/row_check.h): "texts"
                   ///< or "numbers" of the column, "labels", "norm"; no column is named where none is to blame
  inspect_data,     ///< the holder of the file may look for the line
  pack_again,       ///< make the block file again, so that it names its data
  schema_as_found,  ///< use the schema as it was when its bounds were found
  public_key,       ///< where the public key of a ledger comes from
  move_ledger,      ///< say that this copy of the ledger is the one that counts
  finish_move,      ///< move the ledger again
  former_is_gone,   ///< say that nothing is left where the ledger was before
};
constexpr auto enum_names(HintKind) {
  return std::array{std::pair{std::string_view("none"), HintKind::none},
                    std::pair{std::string_view("say_field"), HintKind::say_field},
                    std::pair{std::string_view("did_you_mean"), HintKind::did_you_mean},
                    std::pair{std::string_view("other_choice"), HintKind::other_choice},
                    std::pair{std::string_view("other_filter"), HintKind::other_filter},
                    std::pair{std::string_view("adding_filter"), HintKind::adding_filter},
                    std::pair{std::string_view("say_header"), HintKind::say_header},
                    std::pair{std::string_view("declare_columns"), HintKind::declare_columns},
                    std::pair{std::string_view("declare_column"), HintKind::declare_column},
                    std::pair{std::string_view("inspect_data"), HintKind::inspect_data},
                    std::pair{std::string_view("pack_again"), HintKind::pack_again},
                    std::pair{std::string_view("schema_as_found"), HintKind::schema_as_found},
                    std::pair{std::string_view("public_key"), HintKind::public_key},
                    std::pair{std::string_view("move_ledger"), HintKind::move_ledger},
                    std::pair{std::string_view("finish_move"), HintKind::finish_move},
                    std::pair{std::string_view("former_is_gone"), HintKind::former_is_gone}};
}

/// The kind says which arguments there are. They are names of fields and of members of closed sets, never values of rows.
struct Hint {
  HintKind kind = HintKind::none;
  std::vector<std::string> arguments{};
};

}  // namespace sotto
