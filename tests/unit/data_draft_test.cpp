#include <gtest/gtest.h>

#include "refusals.h"
#include "sotto/data/draft.h"
#include "sotto/data/encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/request.h"

namespace sotto {
namespace {

ColumnProfile profile_of(const std::string& name, const std::vector<std::string>& cells) {
  ColumnProfiler profiler;
  for (const std::string& cell : cells) profiler.add(std::string_view(cell));
  return profiler.finish(name);
}

TableProfile table_of(std::vector<ColumnProfile> columns) {
  TableProfile table;
  table.label = profile_of("y", {"no", "yes"});
  table.columns = std::move(columns);
  table.columns.push_back(table.label);
  return table;
}

Schema labelled() {
  Schema schema;
  schema.label.column = "y";
  return schema;
}

Column drafted(const ColumnProfile& profile) {
  return draft_schema(table_of({profile}), labelled()).schema.columns.front();
}

TEST(Draft, RangesAreRoundedOutwardToReadableNumbers) {
  EXPECT_EQ(readable_range(17, 90), (Range{10, 90}));
  EXPECT_EQ(readable_range(1, 16), (Range{0, 16}));
  EXPECT_EQ(readable_range(12285, 1484705), (Range{0, 1600000}));
  EXPECT_EQ(readable_range(-0.03, 0.97), (Range{-0.2, 1}));
  EXPECT_EQ(readable_range(3, 3), (Range{3, 6}));
  for (const auto& [min, max] : {std::pair{0.1, 0.3}, {1e-300, 3e-300}, {-1e308, 1e308}, {1e15, 1e15 + 3}}) {
    const Range range = readable_range(min, max);
    EXPECT_LE(range.min, min);
    EXPECT_GE(range.max, max);
  }
}

TEST(Draft, ALabelOf0And1IsPredictedAs0And1AndNeedsNoWord) {
  TableProfile table = table_of({profile_of("a", {"1", "2"})});
  table.label = profile_of("y", {"0", "1", "1"});
  const Label label = draft_schema(table, labelled()).schema.label;
  EXPECT_EQ(class_texts(label), (std::vector<std::string>{"0", "1"}));
  EXPECT_TRUE(label.is_public);
  table.label = profile_of("y", {"-1", "1"});
  EXPECT_EQ(class_texts(draft_schema(table, labelled()).schema.label), (std::vector<std::string>{"-1", "1"}));
}

TEST(Draft, ALabelThatIsNoColumnIsToldWithTheNearest) {
  const TableProfile table = table_of({profile_of("income", {"1", "2"})});
  Schema schema;
  EXPECT_REFUSED(invalid_argument, "label", draft_schema(table, schema));
  schema.label.column = "incom";
  try {
    draft_schema(table, schema);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint().kind, HintKind::did_you_mean);
    EXPECT_EQ(error.hint().arguments, std::vector<std::string>{"income"});
  }
}

TEST(Draft, LongTailsGetALogarithmicScale) {
  std::vector<std::string> cells(50, "0");
  cells.emplace_back("5000");
  const auto kind = std::get<NumericColumn>(drafted(profile_of("gain", cells)).kind);
  EXPECT_EQ(kind.scale, NumericScale::log1p);
  EXPECT_EQ(kind.range, (Range{0, 5000}));
  cells.emplace_back("-1");
  EXPECT_EQ(std::get<NumericColumn>(drafted(profile_of("gain", cells)).kind).scale, NumericScale::linear);
}

TEST(Draft, MissingValuesOfNumbersAreListedAndThoseOfTextsAreNot) {
  const auto age = std::get<NumericColumn>(drafted(profile_of("age", {"?", "20", "30", "", "41"})).kind);
  EXPECT_EQ(age.missing, (std::vector<std::string>{"", "?"}));
  const auto job = std::get<CategoryColumn>(drafted(profile_of("job", {"?", "cook", "clerk", "NA"})).kind);
  EXPECT_EQ(job.values, (std::vector<std::string>{"clerk", "cook"}));
}

TEST(Draft, IdentifiersDatesAndConstantsAreLeftOut) {
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) names.push_back("name " + std::to_string(i));
  for (const auto& cells :
       {names, {"7", "8", "9"}, {"2024-01-01", "2024-01-02 10:00"}, {"a", "a"}, {"3", "3"}, {"", "?"}}) {
    EXPECT_TRUE(std::holds_alternative<IgnoredColumn>(drafted(profile_of("x", cells)).kind)) << cells.front();
  }
}

TEST(Draft, OfManyTextsTheCommonestAreKept) {
  std::vector<std::string> cells;
  for (int i = 0; i < 100; ++i) cells.insert(cells.end(), i < 10 ? 2 : 5, "t" + std::to_string(i));
  const auto kind = std::get<CategoryColumn>(drafted(profile_of("town", cells)).kind);
  EXPECT_EQ(kind.values.size(), kDraftedCategories);
  EXPECT_EQ(std::ranges::count(kind.values, "t1"), 0);
}

TEST(Draft, WhatIsDeclaredStaysAndIsPublic) {
  Schema declared = labelled();
  declared.columns = {{"age", NumericColumn{Range{0, 120}}}};
  declared.label.classes = {"no", "yes"};
  declared.data_norm = 2;
  const Schema draft =
      draft_schema(table_of({profile_of("age", {"20", "30"}), profile_of("b", {"1", "5"})}), declared).schema;
  EXPECT_EQ(draft.columns[0], declared.columns[0]);
  EXPECT_EQ(draft.data_norm, 2);
  EXPECT_EQ(unconfirmed(draft), (std::vector<std::string>{"b"}));
}

TEST(Draft, AnInterceptIsProposedUnlessItIsDeclaredThatThereIsNone) {
  Schema declared = labelled();
  const TableProfile table = table_of({profile_of("age", {"20", "30"})});
  EXPECT_EQ(draft_schema(table, declared).schema.intercept, 1);
  declared.intercept = 0;
  EXPECT_EQ(draft_schema(table, declared).schema.intercept, 0);
}

TEST(Draft, TheNormFollowsFromTheKinds) {
  Schema schema;
  schema.intercept = 1;
  schema.columns = {{"a", CategoryColumn{{"x"}}}, {"b", CategoryColumn{{"x"}}}, {"c", CategoryColumn{{"x"}}}};
  EXPECT_EQ(proposed_norm(schema), 2);
  schema.columns.push_back({"d", NumericColumn{}});
  EXPECT_EQ(proposed_norm(schema), 2.1);
  schema.columns.push_back({"e", IgnoredColumn{}});
  EXPECT_EQ(proposed_norm(schema), 2.1);
}

// What is found privately must not depend on what one row spells.
TEST(Draft, WhatIsKeptOfSuggestionsIsTheKindAlone) {
  const auto kept_of = [](std::vector<std::string> cells) {
    Schema schema =
        draft_schema(table_of({profile_of("age", std::move(cells)), profile_of("job", {"cook", "clerk"})}), labelled())
            .schema;
    forget_suggestions(schema);
    return schema;
  };
  const Schema kept = kept_of({"20", "?", "30", "41"});
  EXPECT_EQ(kept, kept_of({"1", "NA", "2e7", "5"}));
  const auto& age = std::get<NumericColumn>(kept.columns[0].kind);
  EXPECT_FALSE(age.range);
  EXPECT_EQ(age.scale, NumericScale::linear);
  EXPECT_EQ(age.missing, (std::vector<std::string>{"", "?", "NA", "na", "N/A", "n/a", "NaN", "nan", "null", "NULL",
                                                   "None", "none"}));
  EXPECT_TRUE(std::get<CategoryColumn>(kept.columns[1].kind).values.empty());
  EXPECT_TRUE(kept.columns[0].is_public && kept.columns[1].is_public);
  EXPECT_FALSE(kept.label.is_public);  // classes are not found privately
}

TEST(Draft, WhatIsDeclaredIsNotForgotten) {
  Schema schema = labelled();
  schema.columns = {{"age", NumericColumn{Range{0, 9}, NumericScale::log1p, {"?"}}}};
  const Schema declared = schema;
  forget_suggestions(schema);
  EXPECT_EQ(schema, declared);
}

// A guarantee would be wrong if this failed.
TEST(Draft, ATrainingWithSuggestionsIsStampedUntilTheyAreConfirmed) {
  Schema draft = draft_schema(table_of({profile_of("age", {"20", "30"})}), labelled()).schema;
  const Schema read = schema_from_json(to_json(draft));
  EXPECT_EQ(read, draft);
  TrainRequest request;
  take_schema(request, read);
  ASSERT_EQ(request.not_private.size(), 1U);
  EXPECT_NE(request.not_private[0].find("age, label"), std::string::npos);
  confirm(draft);
  TrainRequest confirmed;
  take_schema(confirmed, schema_from_json(to_json(draft)));
  EXPECT_TRUE(confirmed.not_private.empty());
}

TEST(Draft, EachSuggestionAloneIsEnoughForTheStamp) {
  Schema draft =
      draft_schema(table_of({profile_of("age", {"20", "30"}), profile_of("b", {"1", "5"})}), labelled()).schema;
  confirm(draft);
  for (bool* mark : {&draft.columns[0].is_public, &draft.columns[1].is_public, &draft.label.is_public}) {
    *mark = false;
    TrainRequest request;
    take_schema(request, schema_from_json(to_json(complete_schema(draft, {"age", "b", "y"}))));
    EXPECT_EQ(request.not_private.size(), 1U);
    *mark = true;
  }
}

}  // namespace
}  // namespace sotto
