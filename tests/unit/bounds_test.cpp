// Bounds found in the rows: what is planned, what it costs, what a ledger is charged, what the card promises.
#include "sotto/bounds.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <thread>

#include "../cli/schema_flags.h"
#include "data_testing.h"
#include "ledger_testing.h"
#include "sensitive_access.h"
#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/engines/in_memory.h"
#include "sotto/files/complete.h"
#include "sotto/files/fingerprint.h"
#include "sotto/files/load.h"
#include "sotto/tune.h"

namespace sotto::test {
namespace {

using testing::TempFile;

/// Ages 18 to 77, incomes 0 to 49950, two jobs that many have and one of a single row.
std::string people(std::size_t rows = 2000) {
  std::string text = "age,income,job,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const char* job = i == 7 ? "only one" : i % 3 == 0 ? "clerk" : "cook";
    text += std::to_string(18 + i % 60) + "," + std::to_string((i * 37 % 1000) * 50) + "," + job + "," +
            std::to_string(i % 2) + "\n";
  }
  return text;
}

BoundsRequest asking(double epsilon, double delta) {
  BoundsRequest request;
  request.schema.label.column = "y";
  request.schema.intercept = 0;
  cli::declare_text(request.schema, "job");
  request.budget = {epsilon, delta, Relation::replace_one};
  return request;
}

Range range_of(const Schema& schema, const std::string& name) {
  return *std::get<NumericColumn>(find_column(schema, name)->kind).range;
}

/// delta of rho-zCDP at epsilon by [Canonne20, Proposition 12], over a grid of orders.
double independent_delta(double rho, double epsilon) {
  double best = 1;
  for (double order = 1.001; order < 5000; order *= 1.001) {
    const double log_delta =
        (order - 1) * (order * rho - epsilon) - std::log(order - 1) + order * std::log1p(-1 / order);
    best = std::min(best, std::exp(log_delta));
  }
  return best;
}

TEST(Bounds, APurePlanSharesEpsilonAmongItsDraws) {
  const TempFile file("p.csv", people(10));
  BoundsRequest request = asking(1, 0);
  cli::declare_ignored(request.schema, "job");
  request.data_norm = true;
  const BoundsPlan plan = plan_bounds(file.path(), request);
  ASSERT_EQ(plan.charges.size(), 1U);  // three choices for each of two columns, one for the norm
  EXPECT_EQ(plan.charges[0].times, 7U);
  EXPECT_LE(7 * plan.epsilon_each, 1.0);
  EXPECT_GT(7 * plan.epsilon_each, 1 - 1e-9);
  EXPECT_EQ(plan.delta, 0.0);
  EXPECT_EQ(plan.distance, 0.0);
}

TEST(Bounds, TheCostOfAPlanIsThatOfItsDrawsTogether) {
  const TempFile file("p.csv", people(10));
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    for (const double epsilon : {0.05, 0.5, 4.0}) {
      BoundsRequest request = asking(epsilon, 1e-6);
      request.budget.relation = relation;
      const BoundsPlan plan = plan_bounds(file.path(), request);
      const double e = plan.epsilon_each;
      const double rho = 6 * e * e / 8 + e * e / 2;
      const double scale = (relation == Relation::replace_one ? 2 : 1) / e;
      const Discovery law{e, relation, plan.allowed, 64};
      const double lone = std::exp(-(static_cast<double>(law.threshold()) - 1) / scale) / (1 + std::exp(-1 / scale));
      const double sum = 7 * e <= epsilon ? 0 : independent_delta(rho, epsilon);
      EXPECT_LE(sum + (1 + std::exp(epsilon)) * lone, plan.delta * (1 + 1e-4));
      EXPECT_LE(plan.delta, 1e-6);
      EXPECT_GT(plan.delta, 0.2e-6);  // no more noise than it takes
      EXPECT_NEAR(plan.distance / lone, 1, 1e-4);
      EXPECT_EQ(plan.epsilon, epsilon);
    }
  }
}

TEST(Bounds, NeighboursMoveTheLawOfAChoiceByAtMostItsEpsilon) {
  const auto law = [](const Choice& choice, const Vector& scores) {
    Vector p(scores.size());
    double best = -INFINITY, sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) best = std::max(best, scores[i] + choice.offsets[i]);
    for (std::size_t i = 0; i < p.size(); ++i) {
      sum += p[i] = std::exp(choice.epsilon * (scores[i] + choice.offsets[i] - best) / choice.range);
    }
    for (double& x : p) x /= sum;
    return p;
  };
  const auto loss = [&](const Choice& choice, double x, double y) {
    const auto scores = [](double last) {
      BoundCounts counts(range_grid(4));
      for (int i = 0; i < 5; ++i) counts.add(1.0);
      counts.add(last);
      return SensitiveTestAccess::open(counts.below(0));
    };
    const Vector p = law(choice, scores(x)), q = law(choice, scores(y));
    double worst = 0;
    for (std::size_t i = 0; i < p.size(); ++i) worst = std::max(worst, std::fabs(std::log(p[i] / q[i])));
    return worst;
  };
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    double worst = 0, worst_with_half_the_noise = 0;
    Choice half = lower_choice(epsilon);
    half.range /= 2;
    for (const double x : {-1e300, -5.0, 0.0, 0.5, 1.0, 20.0, std::nan("")}) {
      worst = std::max(worst, loss(lower_choice(epsilon), x, 1.0));
      worst_with_half_the_noise = std::max(worst_with_half_the_noise, loss(half, x, 1.0));
    }
    EXPECT_LE(worst, epsilon);
    EXPECT_GT(worst_with_half_the_noise, epsilon);  // half the noise would be found out
  }
}

TEST(Bounds, WithEnoughBudgetTheBoundsAreThoseOfTheRows) {
  const TempFile file("p.csv", people());
  BoundsRequest request = asking(20, 1e-6);
  request.data_norm = true;
  BitSource bits(ReproducibleSeed{3});
  const Schema schema = find_bounds(file.path(), request, bits);
  const Range age = range_of(schema, "age"), income = range_of(schema, "income");
  EXPECT_NEAR(age.min, 18, 6);
  EXPECT_NEAR(age.max, 77, 20);
  EXPECT_LE(std::fabs(income.min), 1000);
  EXPECT_NEAR(income.max, 49950, 15000);
  EXPECT_EQ(std::get<CategoryColumn>(find_column(schema, "job")->kind).values,
            (std::vector<std::string>{"clerk", "cook"}));
  EXPECT_GT(*schema.data_norm, 1.2);  // the norm of rows with ranges and one value: up to sqrt 3
  EXPECT_LE(*schema.data_norm, std::sqrt(3.0));
  EXPECT_TRUE(schema.complete);
  EXPECT_TRUE(schema.bounds_from_data);  // of a seeded source
  EXPECT_EQ(schema.bounds_cost->epsilon, 20);
  EXPECT_EQ(schema_from_json(to_json(schema)), schema);
}

TEST(Bounds, TheNormAloneTakesNumbersAsTheyAre) {
  const TempFile file("p.csv", people());
  BoundsRequest request = asking(4, 0);
  request.schema.columns.clear();
  cli::declare_ignored(request.schema, "job");
  request.columns = false;
  request.data_norm = true;
  BitSource secret;
  EXPECT_FALSE(find_bounds(file.path(), request, secret).bounds_from_data);
  BitSource bits(ReproducibleSeed{1});
  const Schema schema = find_bounds(file.path(), request, bits);
  EXPECT_FALSE(std::get<NumericColumn>(find_column(schema, "age")->kind).range.has_value());
  EXPECT_GT(*schema.data_norm, 20000);
  EXPECT_LT(*schema.data_norm, 200000);
  EXPECT_EQ(schema.bounds_cost->events.size(), 1U);
}

TEST(Bounds, TheNormIsNeverAboveWhatTheEncodingAllows) {
  // Every row is as long as it may be; the next candidate is longer.
  std::string text = "age,income,job,y\n";
  for (int i = 0; i < 2000; ++i) text += "77,49950,clerk,1\n";
  const TempFile file("p.csv", text);
  BoundsRequest request = asking(1, 0);
  request.schema.columns.clear();
  cli::declare_category(request.schema, "job=clerk,cook");
  cli::declare_range(request.schema, "age=18:77");
  cli::declare_range(request.schema, "income=0:49950");
  request.schema.intercept = 0.5;
  request.data_norm = true;
  const double most = std::sqrt(3.25);
  BoundsRequest as_they_are = request;
  as_they_are.columns = false;
  std::get<NumericColumn>(as_they_are.schema.columns[1].kind).range.reset();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    BitSource bits(ReproducibleSeed{seed}), same(ReproducibleSeed{seed});
    EXPECT_DOUBLE_EQ(*find_bounds(file.path(), request, bits).data_norm, most);
    EXPECT_GT(*find_bounds(file.path(), as_they_are, same).data_norm, 70) << "an age has no bound there";
  }
}

TEST(Bounds, TheNormOfRowsInMemoryIsFoundByTheSameChoice) {
  BoundCounts norms(size_grid());
  for (int i = 0; i < 2000; ++i) norms.add(3 + 0.0001 * i);
  BitSource bits;
  const FoundNorm found = find_data_norm(norms, {0.5, 0, Relation::add_remove}, 0.01, bits);
  EXPECT_GT(found.data_norm, 3);
  ASSERT_EQ(found.cost.events.size(), 1U);
  EXPECT_NEAR(found.cost.events[0].epsilon, 0.5, 1e-9);
  EXPECT_EQ(found.cost.relation, "add_remove");
  EXPECT_TRUE(found.not_private.empty());
  BitSource seeded(ReproducibleSeed{1});
  const FoundNorm again = find_data_norm(norms, {4, 0, Relation::add_remove}, 0.01, seeded);
  EXPECT_FALSE(again.not_private.empty());
  EXPECT_NEAR(again.data_norm, 3.2, 1);
  EXPECT_THROW(find_data_norm(norms, {0.5, 0, Relation::add_remove}, 0.5, bits), Error);
}

TEST(Bounds, RowsThatShowNothingGiveASchemaAndNoError) {
  const TempFile file("p.csv", "age,income,job,y\n,x,,1\nnan,inf,,0\n");
  BoundsRequest request = asking(1, 1e-6);
  request.data_norm = true;
  BitSource bits;
  const Schema schema = find_bounds(file.path(), request, bits);
  EXPECT_TRUE(std::holds_alternative<IgnoredColumn>(find_column(schema, "job")->kind));
  EXPECT_LT(range_of(schema, "age").min, range_of(schema, "age").max);
  EXPECT_GT(*schema.data_norm, 0);
}

TEST(Bounds, WhatCannotBeFoundIsRefusedBeforeARowIsRead) {
  const TempFile file("p.csv", people(10));
  const auto refusal = [&](const BoundsRequest& request) {
    return testing::error_of([&] { plan_bounds(file.path(), request); }).second;
  };
  EXPECT_NE(refusal(asking(1, 0)).find("delta"), std::string::npos);  // texts need it
  EXPECT_NE(refusal(asking(0, 1e-6)).find("epsilon"), std::string::npos);
  BoundsRequest declared = asking(1, 1e-6);
  declared.schema.range = Range{0, 1};
  cli::declare_ignored(declared.schema, "job");
  EXPECT_NE(refusal(declared).find("nothing to find"), std::string::npos);
  BoundsRequest open_text = asking(1, 1e-6);
  open_text.columns = false;
  open_text.data_norm = true;
  EXPECT_NE(refusal(open_text).find("job"), std::string::npos);
  BoundsRequest tail = asking(1, 1e-6);
  tail.tail = 0.5;
  EXPECT_NE(refusal(tail).find("tail"), std::string::npos);
  BoundsRequest no_label = asking(1, 1e-6);
  no_label.schema.label.column = "missing";
  EXPECT_NE(refusal(no_label).find("label"), std::string::npos);
}

TEST(Bounds, FindingMoreAddsToTheCost) {
  const TempFile file("p.csv", people());
  BitSource bits;
  BoundsRequest request = asking(0.5, 1e-6);
  const Schema first = find_bounds(file.path(), request, bits);
  request.schema = first;
  request.columns = false;
  request.data_norm = true;
  request.budget = {0.1, 0, Relation::replace_one};
  const Schema second = find_bounds(file.path(), request, bits);
  EXPECT_DOUBLE_EQ(second.bounds_cost->epsilon, 0.6);
  EXPECT_GE(static_cast<long double>(second.bounds_cost->epsilon), 0.5L + static_cast<long double>(0.1));
  EXPECT_EQ(second.bounds_cost->delta, first.bounds_cost->delta);
  EXPECT_EQ(second.bounds_cost->events.size(), 3U);
  request.budget.relation = Relation::add_remove;
  EXPECT_THROW(find_bounds(file.path(), request, bits), Error);
}

/// A file, a ledger for it, and training on it.
class BoundsWithLedger : public LedgerTest {
 protected:
  BoundsWithLedger() : file_("p.csv", people()) {}
  void open(FilterKind kind, double epsilon, double delta, bool same_data = true) {
    LedgerTerms terms = terms_of(kind, epsilon, delta);
    terms.rows = 2000;
    const CountedRows counted = count_rows(file_.path(), {}).value;
    terms.reading = counted.reading;
    terms.columns = counted.columns;
    SqliteLedger::create(path_, terms, same_data ? fingerprint_of(file_.path(), {}) : sha256("other data"));
    ledger_.emplace(path_);
  }
  FoundSchema find(const BoundsRequest& request, bool again = false) {
    return find_bounds(file_.path(), request, bits_, {*ledger_, again});
  }
  std::uint64_t spent() { return ledger_->filter().spent().loss; }

  /// The rows of the file through a schema.
  class Rows final : public RowSource {
   public:
    Rows(const std::string& path, const Schema& schema) : path_(path), encoder_(complete_for(path, schema)) {}
    Facts facts(std::uint64_t rows) const override { return encoder_.facts(rows); }
    Digest fingerprint() const override { return fingerprint_of(path_, {}); }
    std::unique_ptr<Engine> open() override {
      auto rows = std::make_shared<const Dataset>(read_dataset(path_, encoder_));
      return std::make_unique<InMemoryEngine>(rows->facts(), rows->view(), rows);
    }
    Opened open_fingerprinted() override { return {open(), fingerprint()}; }

   private:
    std::string path_;
    Encoder encoder_;
  };
  static TrainRequest training(const Schema& schema, double epsilon, double delta = 0) {
    TrainRequest request;
    request.problem = {Logistic{}, 0.1};
    request.budget = {epsilon, delta, Relation::replace_one};
    take_schema(request, schema);
    return request;
  }
  Released train_with(const Schema& schema, double epsilon) {
    Rows rows(file_.path(), schema);
    return train(rows, training(schema, epsilon), bits_, {*ledger_, false});
  }

  TempFile file_;
  BitSource bits_;
  std::optional<SqliteLedger> ledger_;
};

/// A name under which every opening reads the same bytes, but for one of them. Each opening gets a pipe of its own,
/// which is in place before the one before is filled.
class ChangingFile {
 public:
  ChangingFile(const std::string& folder, std::string text, std::string other, int other_at)
      : path_(folder + "/changing.csv"), text_(std::move(text)), other_(std::move(other)), other_at_(other_at) {
    ::mkfifo(path_.c_str(), 0600);
    writer_ = std::thread([this] { serve(); });
  }
  ChangingFile(const ChangingFile&) = delete;
  ChangingFile& operator=(const ChangingFile&) = delete;
  ~ChangingFile() {
    done_ = true;
    ::close(::open(path_.c_str(), O_RDONLY));
    writer_.join();
    std::filesystem::remove(path_);
  }
  const std::string& path() const { return path_; }
  int openings() const { return openings_; }

 private:
  void serve() {
    sigset_t broken_pipe;  // a reader may close after the header
    ::sigemptyset(&broken_pipe);
    ::sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    while (true) {
      const int pipe = ::open(path_.c_str(), O_WRONLY);  // waits for the reader
      if (done_) return void(::close(pipe));
      const std::string next = path_ + ".next";
      ::mkfifo(next.c_str(), 0600);
      std::filesystem::rename(next, path_);
      const std::string& text = openings_++ == other_at_ ? other_ : text_;
      for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t count = ::write(pipe, text.data() + sent, text.size() - sent);
        if (count < 0) break;
        sent += static_cast<std::size_t>(count);
      }
      ::close(pipe);
    }
  }

  std::string path_, text_, other_;
  int other_at_;
  std::atomic<int> openings_ = 0;
  std::atomic<bool> done_ = false;
  std::thread writer_;
};

/// `people` with other ages, of the same size.
std::string older_people() {
  std::string text = people();
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  text[last] = text[last] == '9' ? '8' : '9';
  return text;
}

constexpr std::uint64_t kUnit = Filter::kLossUnits;

TEST_F(BoundsWithLedger, BoundsAndTrainingAreEachChargedOnce) {
  open(FilterKind::sum, 1, 1e-5);
  const FoundSchema found = find(asking(0.25, 1e-6));
  EXPECT_EQ(spent(), kUnit / 4);
  EXPECT_EQ(found.schema.bounds_cost->ledger, ledger_->terms().id);
  const Released released = train_with(found.schema, 0.5);
  EXPECT_EQ(spent(), kUnit * 3 / 4);
  EXPECT_DOUBLE_EQ(released.model.card.epsilon, 0.75);
  EXPECT_GT(released.model.card.delta, 0);
  EXPECT_EQ(ledger_->entries().size(), 2U);
  EXPECT_EQ(SqliteLedger(path_).verify().models, 2U);
}

TEST_F(BoundsWithLedger, TheSameRequestIsAnsweredAgainForFree) {
  open(FilterKind::sum, 1, 1e-5);
  const FoundSchema first = find(asking(0.25, 1e-6));
  const FoundSchema second = find(asking(0.25, 1e-6));
  EXPECT_TRUE(second.stored);
  EXPECT_EQ(second.schema, first.schema);
  EXPECT_EQ(spent(), kUnit / 4);
  EXPECT_FALSE(find(asking(0.25, 1e-6), true).stored);
  EXPECT_EQ(spent(), kUnit / 2);
  BoundsRequest other = asking(0.25, 1e-6);
  other.tail = 0.02;
  EXPECT_FALSE(find(other).stored);
}

TEST_F(BoundsWithLedger, TheSameWordsAboutAFileReadInAnotherWayAreRefused) {
  std::string text = "x,q\ty\t,y\n";  // by commas x, "q y" and y; by tabs "x,q", y and ",y"
  for (int i = 0; i < 2000; ++i) text += "1,2\t1\t,1\n";
  overwrite(file_.path(), text);
  file_.add("p.tsv", text);
  open(FilterKind::sum, 1, 1e-5);
  BoundsRequest request = asking(0.25, 1e-6);
  request.schema.columns.clear();
  EXPECT_NE(find_column(find(request).schema, "x"), nullptr);
  EXPECT_EQ(refused([&] {
              find_bounds(file_.beside("p.tsv"), request, bits_, {*ledger_, false});
            }),
            ErrorKind::invalid_argument);
  request.schema.separator = ",";
  request.schema.format = FileFormat::csv;
  EXPECT_TRUE(find(request).stored);  // the first one, spelled out
  EXPECT_EQ(spent(), kUnit / 4);
}

TEST_F(BoundsWithLedger, AFilterInRhoIsChargedTheDrawsAndTheirDistance) {
  open(FilterKind::zcdp, 1, 1e-4);
  const BoundsRequest request = asking(0.5, 1e-8);
  const BoundsPlan plan = plan_bounds(file_.path(), request);
  find(request);
  const double e = plan.epsilon_each;
  EXPECT_NEAR(static_cast<double>(spent()) / static_cast<double>(kUnit), 6 * e * e / 8 + e * e / 2, 1e-9);
  const double delta = static_cast<double>(ledger_->filter().spent().delta) / static_cast<double>(Filter::kDeltaUnits);
  EXPECT_NEAR(delta / ((1 + std::exp(1.0)) * plan.distance), 1, 1e-6);
}

TEST_F(BoundsWithLedger, WhatDoesNotFitIsRefusedBeforeTheDataIsLookedAt) {
  open(FilterKind::sum, 0.2, 1e-5, false);  // looking at the data would show that it is other data
  EXPECT_EQ(refused([&] { find(asking(0.25, 1e-6)); }), ErrorKind::budget_exceeded);
  BoundsRequest leaves = asking(0.1, 1e-6);
  leaves.leave.loss = kUnit / 5;
  EXPECT_EQ(refused([&] { find(leaves); }), ErrorKind::budget_exceeded);
  EXPECT_EQ(refused([&] { find(asking(0.1, 1e-6)); }), ErrorKind::invalid_data);
  EXPECT_EQ(spent(), 0U);
}

TEST_F(BoundsWithLedger, NoReadingOfOtherDataIsDrawnFrom) {
  BoundsRequest request = asking(0.01, 1e-6);
  request.data_norm = true;
  open(FilterKind::sum, 1, 1e-3);
  const auto refusals = [&](const auto& run) {
    int refused = 0, openings = 1;
    for (int at = 0; at < openings; ++at) {
      ChangingFile file(folder_, people(), older_people(), at);
      try {
        run(file.path());
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::invalid_data);
        ++refused;
      }
      openings = std::max(openings, file.openings());
    }
    return refused;
  };
  // Columns are counted, then numbers within the sizes that were found, then norms; a ledger identifies the file
  // before.
  EXPECT_EQ(refusals([&](const std::string& path) { find_bounds(path, request, bits_); }), 3);
  EXPECT_EQ(refusals([&](const std::string& path) { find_bounds(path, request, bits_, {*ledger_, true}); }), 4);
}

TEST_F(BoundsWithLedger, ARowReadAsTheHeaderIsNotReleased) {
  open(FilterKind::sum, 1, 1e-5);
  BoundsRequest request = asking(0.25, 1e-6);
  request.schema.columns.clear();
  request.schema.skip_lines = 8;  // the header is then the row of the one who has "only one" job
  request.schema.label.column = "only one";
  EXPECT_EQ(refused([&] { find(request); }), ErrorKind::invalid_argument);
  EXPECT_FALSE(testing::contains(message_, "1992")) << message_;
  request.columns = false;
  request.data_norm = true;
  request.budget.delta = 0;
  EXPECT_EQ(refused([&] { find(request); }), ErrorKind::invalid_argument);
  EXPECT_TRUE(ledger_->entries().empty());  // no row was read
}

TEST_F(BoundsWithLedger, ARowThatCountsAsManyIsNotReleased) {
  // By commas each line after the header is a row, one of them with a cell of 51 lines. By semicolons each line is one.
  std::string text = "a;y,b\n", cell = "0";
  for (int i = 0; i < 50; ++i) cell += "\n900;1";
  for (int i = 0; i < 1999; ++i) text += "5;1,1\n";
  overwrite(file_.path(), text + "5;1,\"" + cell + "\"\n");
  open(FilterKind::sum, 1, 1e-5);
  BoundsRequest request = asking(0.25, 1e-6);
  request.schema.columns.clear();
  request.schema.label.column = "b";
  EXPECT_FALSE(find(request).stored);
  request.schema.separator = ";";
  request.schema.label.column = "y,b";
  EXPECT_EQ(refused([&] { find(request); }), ErrorKind::invalid_argument);
  EXPECT_EQ(spent(), kUnit / 4);
}

TEST_F(BoundsWithLedger, BoundsFoundWithoutItAreNotTaken) {
  open(FilterKind::sum, 1, 1e-5);
  const Schema outside = find_bounds(file_.path(), asking(0.25, 1e-6), bits_);
  EXPECT_EQ(refused([&] { train_with(outside, 0.5); }), ErrorKind::invalid_argument);
  BoundsRequest more = asking(0.25, 1e-6);
  more.schema = outside;
  more.columns = false;
  more.data_norm = true;
  EXPECT_EQ(refused([&] { find(more); }), ErrorKind::invalid_argument);
  EXPECT_EQ(spent(), 0U);
}

TEST_F(BoundsWithLedger, ACostItDidNotChargeIsNotTakenUnderItsName) {
  open(FilterKind::sum, 1, 1e-5);
  const Schema found = find(asking(0.25, 1e-6)).schema;
  train_with(found, 0.125);
  Schema cheaper = found;
  cheaper.bounds_cost->epsilon = 0.01;
  EXPECT_EQ(refused([&] { train_with(cheaper, 0.125); }), ErrorKind::invalid_argument);
  Schema forged = find_bounds(file_.path(), asking(0.3, 1e-6), bits_);
  forged.bounds_cost->ledger = ledger_->terms().id;
  EXPECT_EQ(refused([&] { train_with(forged, 0.125); }), ErrorKind::invalid_argument);
  BoundsRequest more = asking(0.125, 0);
  more.schema = cheaper;
  more.columns = false;
  more.data_norm = true;
  EXPECT_EQ(refused([&] { find(more); }), ErrorKind::invalid_argument);
  EXPECT_EQ(spent(), kUnit * 3 / 8);
  more.schema = found;
  train_with(find(more).schema, 0.125);
  EXPECT_EQ(spent(), kUnit * 5 / 8);
}

TEST_F(BoundsWithLedger, SeededNoiseIsNotTaken) {
  open(FilterKind::sum, 1, 1e-5);
  BitSource seeded(ReproducibleSeed{1});
  EXPECT_EQ(refused([&] {
              find_bounds(file_.path(), asking(0.25, 1e-6), seeded, {*ledger_, false});
            }),
            ErrorKind::invalid_argument);
  EXPECT_EQ(spent(), 0U);
}

TEST(Bounds, ARequestTakesOverWhatItsSchemaSaysAboutBounds) {
  Schema schema;
  schema.label.column = "y";
  TrainRequest declared;
  take_schema(declared, schema);
  EXPECT_TRUE(declared.not_private.empty());
  EXPECT_FALSE(declared.bounds_cost.has_value());
  schema.bounds_from_data = true;
  schema.bounds_cost = BoundsCost{"replace_one", 3, 0, {}, ""};
  TrainRequest request;
  take_schema(request, schema);
  EXPECT_EQ(request.not_private.size(), 1U);
  EXPECT_EQ(request.bounds_cost, schema.bounds_cost);
  EXPECT_EQ(schema_from_json(request.encoding), schema);
}

/// Rows in memory whose norms are counted when they are asked for; the ledger of the tests knows them or not.
class NormsWithLedger : public BoundsWithLedger {
 protected:
  NormSource norms() {
    return {fingerprint_of(file_.path(), {}), "as they are", [this] {
              ++counted_;
              spent_when_counted_ = spent();
              BoundCounts counts(size_grid());
              for (int i = 0; i < 2000; ++i) counts.add(3);
              return counts;
            }};
  }
  FoundNorm find_norm(const NormSource& rows, double epsilon, bool part = false) {
    BoundsRequest request;
    request.budget = {epsilon, 0};
    request.leave = leave_;
    return find_data_norm(rows, request, bits_, {*ledger_, false, part});
  }
  Filter::Cost leave_;
  int counted_ = 0;
  std::uint64_t spent_when_counted_ = 0;
};

TEST_F(NormsWithLedger, TheNormIsChargedBeforeItIsCountedAndOnce) {
  open(FilterKind::sum, 1, 1e-5);
  const FoundNorm found = find_norm(norms(), 0.25);
  EXPECT_EQ(spent_when_counted_, kUnit / 4);
  EXPECT_EQ(found.cost.ledger, ledger_->terms().id);
  const FoundNorm again = find_norm(norms(), 0.25);
  EXPECT_TRUE(again.stored);
  EXPECT_EQ(again.data_norm, found.data_norm);
  EXPECT_EQ(again.cost, found.cost);
  EXPECT_EQ(counted_, 1);
  EXPECT_EQ(spent(), kUnit / 4);
  EXPECT_NO_THROW(refuse_other_bounds(found.cost, *ledger_));
}

TEST_F(NormsWithLedger, AnotherEncodingIsAnotherRequest) {
  open(FilterKind::sum, 1, 1e-5);
  find_norm(norms(), 0.25);
  NormSource scaled = norms();
  scaled.encoding = "scaled";
  EXPECT_FALSE(find_norm(scaled, 0.25).stored);
  EXPECT_EQ(spent(), kUnit / 2);
}

TEST_F(NormsWithLedger, APartIsChargedEveryTime) {
  open(FilterKind::sum, 1, 1e-5);
  NormSource part = norms();
  part.fingerprint = {};
  EXPECT_FALSE(find_norm(part, 0.25, true).stored);
  EXPECT_FALSE(find_norm(part, 0.25, true).stored);
  EXPECT_EQ(spent(), kUnit / 2);
}

TEST_F(NormsWithLedger, NothingIsCountedThatIsNotPaidFor) {
  open(FilterKind::sum, 1, 1e-5);
  EXPECT_EQ(refused([&] { find_norm(norms(), 2); }), ErrorKind::budget_exceeded);
  leave_.loss = kUnit;
  EXPECT_EQ(refused([&] { find_norm(norms(), 0.25); }), ErrorKind::budget_exceeded);
  leave_.loss = 0;
  NormSource other = norms();
  other.fingerprint = {};
  EXPECT_EQ(refused([&] { find_norm(other, 0.25); }), ErrorKind::invalid_data);
  BoundsRequest request;
  request.budget = {0.25, 0, Relation::add_remove};
  EXPECT_EQ(refused([&] { find_data_norm(norms(), request, bits_, {*ledger_}); }), ErrorKind::invalid_argument);
  BitSource seeded(ReproducibleSeed{1});
  request.budget.relation = Relation::replace_one;
  EXPECT_EQ(refused([&] { find_data_norm(norms(), request, seeded, {*ledger_}); }), ErrorKind::invalid_argument);
  EXPECT_EQ(counted_, 0);
  EXPECT_EQ(spent(), 0U);
}

TEST_F(BoundsWithLedger, WithoutALedgerTheCardPromisesBothTogether) {
  const Schema schema = find_bounds(file_.path(), asking(0.25, 1e-6), bits_);
  Rows rows(file_.path(), schema);
  const auto engine = rows.open();
  const Model model = train(*engine, training(schema, 0.5), bits_);
  EXPECT_TRUE(model.card.is_private);
  EXPECT_DOUBLE_EQ(model.card.epsilon, 0.75);
  EXPECT_GE(model.card.delta, schema.bounds_cost->delta);
  ASSERT_EQ(model.card.events.size(), 3U);
  EXPECT_EQ(model.card.events[0].event, "exponential");
  EXPECT_EQ(model.card.events[1].event, "discrete_laplace");
  TrainRequest other = training(schema, 0.5);
  other.budget.relation = Relation::add_remove;
  EXPECT_EQ(refused([&] { train(*engine, other, bits_); }), ErrorKind::invalid_argument);
}

TEST(Bounds, ACardStatesNoLessThanTheSum) {
  for (const double training : {0.1, 0.2, 0.3, 0.5, 1.0, 1e-7}) {
    for (const double bounds : {0.1, 0.2, 0.3, 0.6, 0.7, 3e-8}) {
      PrivacyCard card;
      card.relation = "replace_one";
      card.epsilon = card.delta = training;
      card.personal.push_back({training, training, 1, 1});
      add_bounds_cost(card, {card.relation, bounds, bounds, {}, ""});
      for (const double stated : {card.epsilon, card.delta, card.personal[0].epsilon, card.personal[0].delta}) {
        EXPECT_GE(static_cast<long double>(stated), static_cast<long double>(training) + bounds);
        EXPECT_DOUBLE_EQ(stated, training + bounds);
      }
    }
  }
}

TEST_F(BoundsWithLedger, TuningAddsTheBoundsOnce) {
  const Schema schema = find_bounds(file_.path(), asking(0.25, 1e-6), bits_);
  Rows rows(file_.path(), schema);
  TuneRequest request;
  request.train = training(schema, 0.5);
  request.grid = parse_grid("lambda=0.1,0.2");
  request.by = TuneBy::parts;
  EXPECT_DOUBLE_EQ(tune(*rows.open(), nullptr, request, bits_).card.epsilon, 0.75);
  open(FilterKind::sum, 1, 1e-5);
  EXPECT_EQ(refused([&] { tune(rows, nullptr, request, {{*ledger_, false}, bits_}); }), ErrorKind::invalid_argument);
  const Schema charged = find(asking(0.25, 1e-6)).schema;
  Rows same(file_.path(), charged);
  request.train = training(charged, 0.5);
  EXPECT_DOUBLE_EQ(tune(same, nullptr, request, {{*ledger_, false}, bits_}).model.card.epsilon, 0.75);
  EXPECT_EQ(spent(), kUnit * 3 / 4);
}

}  // namespace
}  // namespace sotto::test
