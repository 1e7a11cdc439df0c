#include "capi/shards.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "capi/block_engine.h"
#include "capi/boundary.h"
#include "capi/collected_rows.h"
#include "capi/request.h"
#include "sotto/base/shallow_json.h"
#include "sotto/base/version.h"
#include "sotto/base/whole_number.h"
#include "sotto/data/schema_json.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/privacy/sealed_secret.h"
#include "sotto/random/bit_source.h"

namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;

Digest key_of(const char* hex) {
  Digest key{};
  require(hex != nullptr && digest_from_hex(hex, key), "key", "must be 64 hexadecimal digits");
  return key;
}

/// What every shard is sent. It is public, and with its random part the name of this run: results are sealed for it.
std::string task_text(const std::string& schema, const std::string& request, Precision precision) {
  Digest run{};
  BitSource coins;
  for (std::uint8_t& byte : run) byte = static_cast<std::uint8_t>(coins.next());
  return Json{{"version", kVersion},
              {"run", hex_of(run)},
              {"schema", schema},
              {"request", request},
              {"precision", enum_name(precision)}}
      .dump();
}

struct Task {
  std::string schema;
  std::string request;  ///< empty: the shard only describes itself
  Precision precision;  ///< as it was planned: a shard decides nothing
};

Task task_from(const char* text) {
  try {
    const Json json = parse_shallow(text, "task");
    require(json.at("version").get<std::string>() == kVersion, "version",
            "of the server that asks must be that of the shard");
    return {json.at("schema").get<std::string>(), json.at("request").get<std::string>(),
            enum_by_name<Precision>(json.at("precision").get<std::string>(), "precision")};
  } catch (const Json::exception&) {
    throw Error(ErrorKind::invalid_argument, "task: cannot be read", "task");
  }
}

/// What a shard says about itself, sealed along with its result: a sum, to which those of others can be added.
std::string note_text(const sotto_rows& rows) {
  require(rows.sum != nullptr, "sum", "of a shard's rows must be given");
  return Json{{"rows", rows.facts.rows}, {"sum", rows.sum}}.dump();
}

RowMultiset note_from(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    return {whole_number<std::uint64_t>(json.at("rows")), json.at("sum").get<std::string>()};
  } catch (const Json::exception&) {
    throw Error(ErrorKind::invalid_data, "note: of a shard cannot be read");
  }
}

/// What came back, by shard. Its function is called by the host and must not throw.
struct Answers {
  std::vector<std::optional<std::string>> sealed;
  bool sound = true;

  static void take(void* self, size_t shard, const char* bytes, size_t size) {
    auto& answers = *static_cast<Answers*>(self);
    try {
      answers.sound = answers.sound && shard < answers.sealed.size() && !answers.sealed[shard];
      if (answers.sound) answers.sealed[shard] = std::string(bytes, size);
    } catch (...) {
      answers.sound = false;
    }
  }
};

struct Answer {
  Sensitive<Vector> secret;
  RowMultiset rows;
  std::size_t numbers;
};

std::vector<Answer> ask(const sotto_shards& shards, const std::string& task) {
  Answers answers{std::vector<std::optional<std::string>>(shards.count), true};
  proceed(shards.run(shards.context, task.c_str(), Answers::take, &answers));
  const Digest key = key_of(shards.key);
  std::vector<Answer> opened;
  for (const auto& sealed : answers.sealed) {
    if (!answers.sound || !sealed) throw Error(ErrorKind::invalid_data, "data: not every shard answered, or one twice");
    SealedSecret::Opened one = SealedSecret::open(*sealed, key, task);
    opened.push_back({std::move(one.secret), note_from(one.note), one.numbers});
  }
  return opened;
}

ShardAverage method_of(Asked& asked) {
  const auto* method = std::get_if<ShardAverage>(&asked.train.method);
  if (method == nullptr) {
    throw Error(ErrorKind::unsupported, "method: the rows are on several servers; only shard_average trains there",
                "method");
  }
  return *method;
}

/// The request with the shards as they are.
Asked sharded_request(const sotto_shards& shards, const char* request) {
  Asked asked = asked_from(request, "shard_average");
  ShardAverage method = method_of(asked);
  method.shards = static_cast<std::uint32_t>(shards.count);
  method.sizes = {shards.sizes, shards.count};
  asked.train.method = method;
  return asked;
}

Sensitive<Vector> run_passes(const sotto_rows& rows, const Task& task) {
  Asked asked = asked_from(task.request, "shard_average");
  const ShardAverage method = method_of(asked);
  BlockEngine engine(rows);
  Recipe recipe = make_recipe(method.sgd, asked.train.problem, engine.facts());
  recipe.precision = task.precision;
  Psgd psgd(recipe, engine.facts());
  ScanOrder order;
  order.block_rows = engine.block_rows();
  BitSource coins;
  coins.fill(order.key);
  for (std::uint32_t pass = 0; pass < recipe.passes; ++pass) engine.scan(order, pass, psgd);
  if (psgd.steps_done() != recipe.steps(rows.facts.rows)) {
    throw Error(ErrorKind::internal, "the engine did not feed as many rows as its facts say");
  }
  return std::move(psgd).finish();
}

void put_hex(const std::string& hex, char out[65]) {
  hex.copy(out, 64);
  out[64] = '\0';
}

}  // namespace

ShardEngine::ShardEngine(const sotto_shards& shards, std::string schema, std::string request)
    : shards_(shards), schema_(std::move(schema)), request_(std::move(request)) {}

Facts ShardEngine::facts() const { return facts_of(shards_.facts); }

void ShardEngine::scan(const ScanOrder&, std::uint32_t, RowConsumer& consumer) { scan_rows(0, 0, consumer); }

void ShardEngine::scan_rows(std::uint64_t, std::uint64_t, RowConsumer&) const {
  throw Error(ErrorKind::unsupported, "method: rows of shards are not shipped; use shard_average", "method");
}

std::vector<Sensitive<Vector>> ShardEngine::answers_to(std::span<const ShardTask> tasks) {
  std::vector<Answer> answers = ask(shards_, task_text(schema_, request_, tasks.front().recipe.precision));
  std::vector<Sensitive<Vector>> results;
  for (std::size_t p = 0; p < answers.size(); ++p) {
    const bool same = p < tasks.size() && answers[p].rows.rows() == tasks[p].facts.rows &&
                      answers[p].rows.fingerprint() == shards_.fingerprints[p];
    if (!same) throw Error(ErrorKind::invalid_data, "shard " + std::to_string(p) + " has other rows than the ledger");
    if (answers[p].numbers != weight_count(tasks[p].recipe.loss, tasks[p].facts)) {
      throw Error(ErrorKind::invalid_data, "shard " + std::to_string(p) + " answered with another number of weights");
    }
    results.push_back(std::move(answers[p].secret));
  }
  return results;
}

// Whoever asks may not read the rows: why a shard failed would be an answer about them as they are now.
std::vector<Sensitive<Vector>> ShardEngine::run_shards(std::span<const ShardTask> tasks) {
  try {
    return answers_to(tasks);
  } catch (const Error& why) {
    if (shards_.log != nullptr) shards_.log(shards_.context, why.what());
    throw Error(ErrorKind::invalid_data, SOTTO_SHARDS_FAILED, "data");
  }
}

Facts ShardSource::facts(std::uint64_t rows) const {
  if (rows == shards_.facts.rows) return facts_of(shards_.facts);
  throw Error(ErrorKind::invalid_data, "data: the shards have another number of rows than the ledger", "data");
}

Digest ShardSource::fingerprint() const {
  Digest digest{};
  require(digest_from_hex(shards_.fingerprint, digest), "fingerprint", "must be 64 hexadecimal digits");
  return digest;
}

}  // namespace sotto::capi

using namespace sotto;
using namespace sotto::capi;

sotto_status sotto_collected_for(const char* task, sotto_collected** collected, sotto_error* error) {
  return guarded(error, [&] {
    const std::string text = task_from(task).schema;
    const Schema schema = schema_from_json(text);
    std::vector<std::string> columns;
    for (const Column& column : schema.columns) columns.push_back(column.name);
    columns.push_back(schema.label.column);
    *collected = new sotto_collected{CollectedRows(text, std::move(columns))};
  });
}

sotto_status sotto_shard_answer(const sotto_rows* rows, const char* task, const char* key, sotto_text* sealed,
                                sotto_error* error) {
  return guarded(error, [&] {
    const Task asked = task_from(task);
    const Digest secret_key = key_of(key);
    Sensitive<Vector> secret = asked.request.empty() ? Sensitive<Vector>(Vector()) : run_passes(*rows, asked);
    *sealed = copy_text(SealedSecret::seal(std::move(secret), note_text(*rows), secret_key, task));
  });
}

sotto_status sotto_shards_describe(const sotto_shards* shards, const char* schema, uint64_t* sizes,
                                   char (*fingerprints)[65], char whole[65], sotto_error* error) {
  return guarded(error, [&] {
    RowMultiset all;
    std::size_t p = 0;
    for (const Answer& answer : ask(*shards, task_text(schema, "", Precision::plain))) {
      sizes[p] = answer.rows.rows();
      put_hex(answer.rows.fingerprint(), fingerprints[p++]);
      all.add(answer.rows);
    }
    put_hex(all.fingerprint(), whole);
  });
}

sotto_status sotto_plan_shards(const sotto_shards* shards, const sotto_store* store, const char* schema,
                               const char* request, sotto_text* card, sotto_error* error) {
  return guarded(error, [&] {
    *card = plan_text(sharded_request(*shards, request), ShardSource(*shards, schema, request), *store, schema);
  });
}

sotto_status sotto_train_shards(const sotto_shards* shards, const sotto_store* store, const char* schema,
                                const char* request, sotto_text* model, uint64_t* entry, int* stored,
                                sotto_error* error) {
  return guarded(error, [&] {
    ShardSource source(*shards, schema, request);
    const Released released = train_charged(sharded_request(*shards, request), source, *store, schema);
    *entry = released.model.card.budget.entry;
    *stored = released.stored ? 1 : 0;
    *model = copy_text(released.text);
  });
}
