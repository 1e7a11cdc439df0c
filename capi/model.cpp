#include "sotto/model/model.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "capi/boundary.h"
#include "capi/encode.h"
#include "sotto/base/fields.h"
#include "sotto/base/shallow_json.h"
#include "sotto/data/row_encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/model/evaluation.h"
#include "sotto/model/json.h"
#include "sotto/model/prediction.h"
#include "sotto/model/signature.h"

namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> feature_columns(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns) names.push_back(column.name);
  return names;
}

std::vector<std::string> labelled_columns(const Schema& schema) {
  std::vector<std::string> names = feature_columns(schema);
  names.push_back(schema.label.column);
  return names;
}

}  // namespace

/// A released model with what it takes to predict from raw columns.
struct Predictor {
  explicit Predictor(const std::string& text)
      : model(model_from_text(text, "the model")),
        schema(schema_from_json(model.encoding)),
        loss(loss_of(model)),
        texts(class_texts(model)),
        encoder(model.encoding, schema.format == FileFormat::idx ? std::vector<std::string>() : feature_columns(schema),
                LabelUse::ignored, RowHashing::off),
        judge(model.encoding, labelled_columns(schema), LabelUse::required, RowHashing::off),
        row(encoder.facts().features) {
    std::fill(row.begin(), row.end(), 0.0F);
  }

  void encode(const Json& json) {
    if (encoder.values() > 0) {
      require(json.is_array(), "x", "must be an array of numbers");
      numbers.clear();
      for (const Json& each : json) {
        numbers.push_back(each.is_number() ? each.get<double>() : std::numeric_limits<double>::quiet_NaN());
      }
      return encoder.encode_values(numbers, {"", 0}, row.data(), label);
    }
    require(json.is_object(), "x", "must be an object of columns");
    cell_texts.clear();
    cells.clear();
    for (const std::string& name : encoder.columns()) {
      const auto found = json.find(name);
      require(found != json.end(), "x", "has no column " + name);
      cell_texts.push_back(found->is_null() ? "" : found->is_string() ? found->get<std::string>() : found->dump());
    }
    for (const std::string& text : cell_texts) cells.push_back({text.data(), text.size()});
    encoder.encode_cells(cells, row.data(), label);
  }

  RowBlock block() const {
    RowBlock one;
    one.rows = 1;
    one.features = static_cast<std::uint32_t>(row.size());
    one.labels = &label;
    one.dense = row.data();
    return one;
  }

  Model model;
  Schema schema;
  Loss loss;
  std::vector<std::string> texts;
  TableEncoder encoder;
  TableEncoder judge;  ///< of rows with their labels
  std::vector<float> row;
  float label = 1;
  std::vector<double> numbers;
  std::vector<std::string> cell_texts;
  std::vector<sotto_cell> cells;
  std::vector<double> row_scores;
};

namespace {

/// How the model does on the row that was encoded last.
sotto_score score_of(const Predictor& predictor) {
  if (!predictor.judge.usable()) return {0, 0, 0, 0};
  const Evaluation e = evaluate(predictor.model, predictor.block());
  const auto found =
      static_cast<std::size_t>(std::max_element(e.confusion.begin(), e.confusion.end()) - e.confusion.begin());
  return {static_cast<std::uint32_t>(found / e.classes), static_cast<std::uint32_t>(found % e.classes), e.loss, 1};
}

void require_probabilities(const Predictor& predictor) {
  if (gives_probabilities(predictor.loss)) return;
  throw Error(ErrorKind::unsupported, "the model's loss " + no_probabilities_text(predictor.model.loss));
}

/// The class of the row that was encoded last, and its probabilities unless they are not asked for.
void predict_encoded(Predictor& predictor, std::uint32_t* place, double* probabilities) {
  if (!predictor.encoder.usable()) return;
  scores(predictor.model, predictor.block(), predictor.row_scores);
  *place = predicted_class(predictor.row_scores);
  if (probabilities == nullptr) return;
  const std::vector<double> all = class_probabilities(predictor.loss, predictor.row_scores, predictor.model.link);
  std::copy(all.begin(), all.end(), probabilities);
}

template <class Encode>
sotto_status predict_row(Predictor& predictor, const Encode& encode, std::uint32_t* place, double* probabilities,
                         sotto_error* error) {
  return guarded(error, [&] {
    if (probabilities != nullptr) require_probabilities(predictor);
    *place = static_cast<std::uint32_t>(predictor.texts.size());
    if (encode()) predict_encoded(predictor, place, probabilities);
  });
}

}  // namespace
}  // namespace sotto::capi

struct sotto_model {
  sotto::capi::Predictor predictor;
};

using namespace sotto;
using namespace sotto::capi;

sotto_status sotto_model_verify(const char* text, size_t size, const char* key, sotto_text* problem,
                                sotto_error* error) {
  return guarded(error, [&] {
    *problem = {nullptr, 0};
    const std::string why = signature_problem({text, size}, public_key_from(key));
    if (!why.empty()) *problem = copy_text(why);
  });
}

int sotto_has_digest(const char* bytes, size_t size, const char* digest) {
  bool same = false;
  guarded(nullptr, [&] { same = hex_of(sha256({bytes, size})) == digest; });
  return same ? 1 : 0;
}

sotto_status sotto_model_open(const char* text, size_t size, sotto_model** model, sotto_error* error) {
  return guarded(error, [&] { *model = new sotto_model{Predictor(std::string(text, size))}; });
}

void sotto_model_free(sotto_model* model) { delete model; }

const char* sotto_model_schema(const sotto_model* model) { return model->predictor.model.encoding.c_str(); }

uint32_t sotto_model_classes(const sotto_model* model) { return static_cast<uint32_t>(model->predictor.texts.size()); }

const char* sotto_model_class(const sotto_model* model, uint32_t place) {
  const std::vector<std::string>& texts = model->predictor.texts;
  return place < texts.size() ? texts[place].c_str() : nullptr;
}

sotto_status sotto_predict(sotto_model* model, const char* row, size_t size, uint32_t* place, double* probabilities,
                           sotto_error* error) {
  Predictor& predictor = model->predictor;
  const auto encode = [&] {
    try {
      predictor.encode(parse_shallow({row, size}, "x"));
    } catch (const Json::out_of_range&) {
      return false;  // a number beyond binary64: no finite number either
    } catch (const Json::exception&) {
      throw Error(ErrorKind::invalid_argument, "x: cannot be read", "x");
    }
    return true;
  };
  return predict_row(predictor, encode, place, probabilities, error);
}

sotto_status sotto_predict_cells(sotto_model* model, const sotto_cell* cells, uint32_t* place, double* probabilities,
                                 sotto_error* error) {
  Predictor& predictor = model->predictor;
  const auto encode = [&] {
    require(predictor.encoder.values() == 0, "x", "must be an array of numbers");
    predictor.encoder.encode_cells({cells, predictor.encoder.column_count()}, predictor.row.data(), predictor.label);
    return true;
  };
  return predict_row(predictor, encode, place, probabilities, error);
}

sotto_status sotto_predict_values(sotto_model* model, const double* values, size_t count, uint32_t* place,
                                  double* probabilities, sotto_error* error) {
  Predictor& predictor = model->predictor;
  const auto encode = [&] {
    require(predictor.encoder.values() > 0, "x", "must be an object of columns");
    predictor.encoder.encode_values({values, count}, {"", 0}, predictor.row.data(), predictor.label);
    return true;
  };
  return predict_row(predictor, encode, place, probabilities, error);
}

sotto_status sotto_evaluate(const sotto_model* model, const sotto_judged* judged, sotto_text* figures,
                            sotto_error* error) {
  return guarded(error, [&] {
    const Predictor& predictor = model->predictor;
    if (judged->count == 0) throw Error(ErrorKind::invalid_data, "source: no row can be used", "source");
    RowBlock block;
    block.rows = judged->count;
    block.features = static_cast<uint32_t>(predictor.row.size());
    block.labels = judged->labels;
    block.dense = judged->rows;
    Evaluation e = evaluate(predictor.model, block);
    e.unusable = judged->unusable;
    Json json = to_json(e, predictor.texts);
    json["private"] = false;
    json["remark"] = "computed from the rows without noise: NOT PRIVATE, not for release if the rows are private";
    *figures = copy_text(json.dump(2));
  });
}

uint32_t sotto_model_values(const sotto_model* model) { return model->predictor.judge.values(); }

size_t sotto_model_columns(const sotto_model* model) { return model->predictor.judge.column_count(); }

const char* sotto_model_column(const sotto_model* model, size_t place) {
  const std::vector<std::string>& names = model->predictor.judge.columns();
  return place < names.size() ? names[place].c_str() : nullptr;
}

sotto_status sotto_score_cells(sotto_model* model, const sotto_cell* cells, sotto_score* score) {
  return guarded(nullptr, [&] {
    Predictor& predictor = model->predictor;
    predictor.judge.encode_cells({cells, predictor.judge.column_count()}, predictor.row.data(), predictor.label);
    *score = score_of(predictor);
  });
}

sotto_status sotto_score_values(sotto_model* model, const double* values, size_t count, sotto_cell label,
                                sotto_score* score) {
  return guarded(nullptr, [&] {
    Predictor& predictor = model->predictor;
    predictor.judge.encode_values({values, count}, label, predictor.row.data(), predictor.label);
    *score = score_of(predictor);
  });
}
