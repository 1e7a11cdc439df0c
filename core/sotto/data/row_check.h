#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sotto/data/encoder.h"
#include "sotto/data/row_tally.h"

/// What a tally of rows means, in words for those who may read them. NOT FOR RELEASE: nothing here is private.
namespace sotto {

/// A tally, and what its counts are about.
struct RowCheck {
  struct CheckedColumn {
    std::string name;
    bool numeric = true;
  };
  RowTally tally;
  std::vector<CheckedColumn> columns;  ///< as in the tally, the constant feature left out
  std::vector<std::string> classes;    ///< one text each
  std::string label;                   ///< its column; empty where it is none
  bool norm_declared = true;           ///< otherwise it is the usual one, which nobody can have got wrong
};
RowCheck check_of(const Encoder& encoder, RowTally tally);

/// What can be checked where bounds are still to come: no norm clips, and texts whose values are open are left out.
Schema checkable(Schema declared);

/// Told before anything is charged; what it does must not depend on the rows.
using HearCheck = std::function<void(const RowCheck&)>;

inline constexpr const char* kCheckRemark = "not for release: for those who may read the rows";
/// A short table, without a line end after its last line.
std::string check_text(const RowCheck& check);
/// The same as an object of JSON.
std::string check_json(const RowCheck& check);

/// Something its holder may not have meant: unusable rows, a class without rows, more than a hundredth of the rows clipped
/// to below half of their length, a column of which more than a tenth is out of its range or no value is declared.
bool is_notable(const RowCheck& check);
/// Throws Error{invalid_data} with the hint declare_column if hardly anything can be learned from these rows: a column of
/// numbers has texts alone, no label is declared, more than a tenth of the rows is unusable, or more than a tenth is clipped
/// to below half of its length by a norm that was declared.
void require_sound(const RowCheck& check);

}  // namespace sotto
