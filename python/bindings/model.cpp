#include "sotto/model/model.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "bindings.h"
#include "request.h"
#include "rows.h"
#include "sotto/base/error.h"
#include "sotto/base/out_file.h"
#include "sotto/base/rounded_text.h"
#include "sotto/model/evaluation.h"
#include "sotto/model/intervals.h"
#include "sotto/model/json.h"
#include "sotto/model/prediction.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Places = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

/// An array of Python that owns the numbers.
template <class Result, class T>
Result array_of(std::vector<T> numbers, std::initializer_list<std::size_t> shape) {
  auto* held = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Result(held->data(), shape, owner);
}

const RowBlock& rows_in_memory(const Rows& rows) {
  require(rows.path.empty(), "rows", "must be in memory");
  return rows.view;
}

std::vector<double> scores_of(const Model& model, const Rows& rows) {
  const RowBlock& block = rows_in_memory(rows);
  const nb::gil_scoped_release unlocked;
  std::vector<double> values;
  scores(model, block, values);
  return values;
}

Matrix weights(const Model& model) {
  const std::size_t outputs = outputs_of(model);
  return array_of<Matrix>(std::vector<double>(model.weights.begin(), model.weights.end()),
                          {outputs, model.weights.size() / outputs});
}

Matrix score_matrix(const Model& model, const Rows& rows) {
  return array_of<Matrix>(scores_of(model, rows), {rows.view.rows, outputs_of(model)});
}

Places predicted(const Model& model, const Rows& rows) {
  const std::vector<double> values = scores_of(model, rows);
  const std::size_t outputs = outputs_of(model);
  std::vector<std::int64_t> places(rows.view.rows);
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = predicted_class(std::span(values).subspan(i * outputs, outputs));
  return array_of<Places>(std::move(places), {rows.view.rows});
}

Matrix probabilities(const Model& model, const Rows& rows) {
  const std::vector<double> values = scores_of(model, rows);
  const std::size_t outputs = outputs_of(model);
  const std::size_t classes = model.card.classes;
  const Loss loss = loss_of(model);
  std::vector<double> shares(rows.view.rows * classes);
  for (std::size_t i = 0; i < rows.view.rows; ++i) {
    const std::vector<double> row =
        class_probabilities(loss, std::span(values).subspan(i * outputs, outputs), model.link);
    std::ranges::copy(row, shares.begin() + static_cast<std::ptrdiff_t>(i * classes));
  }
  return array_of<Matrix>(std::move(shares), {rows.view.rows, classes});
}

/// A row of (lower, upper) for every weight of a model that released what intervals need; otherwise none.
nb::object weight_intervals(const Model& model, double level) {
  if (!model.uncertainty) return nb::none();
  const IntervalMaker maker(*model.uncertainty, level);
  std::vector<double> ends;
  for (std::size_t j = 0; j < model.weights.size(); ++j) {
    const Interval interval = maker.coefficient(j, model.weights[j]);
    ends.push_back(interval.lower);
    ends.push_back(interval.upper);
  }
  return nb::cast(array_of<Matrix>(std::move(ends), {model.weights.size(), 2}));
}

std::string evaluation_json(const Model& model, const Rows& rows) {
  const Evaluation found = evaluate(model, rows_in_memory(rows));
  return Json{{"rows", found.rows}, {"accuracy", found.accuracy}, {"loss", found.loss},
              {"auc", found.auc},   {"classes", found.classes},   {"confusion", found.confusion}}
      .dump();
}

std::string shown(const Model& model) {
  std::string text = "<sotto.Model: loss " + model.loss + ", " + std::to_string(model.card.classes) + " classes, " +
                     std::to_string(model.weights.size()) + " weights";
  return text + (model.card.is_private ? ">" : ", NOT PRIVATE>");
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model", "Released weights, their encoding and their privacy card.")
      .def_static(
          "from_text", [](const std::string& text) { return model_from_text(text, "model"); }, nb::arg("text"))
      .def_static(
          "load", [](const std::filesystem::path& path) { return load_model(path.string()); }, nb::arg("path"))
      .def(
          "save", [](const Model& m, const std::filesystem::path& path) { save_model(m, path.string()); },
          nb::arg("path"))
      .def("__repr__", &shown)
      .def("text", &model_text)
      .def("__getstate__", &model_text)
      .def("__setstate__", [](Model& m, const std::string& text) { new (&m) Model(model_from_text(text, "model")); })
      .def("card_json", [](const Model& m) { return card_json(m.card); })
      .def("card_text", [](const Model& m) { return card_text(m.card); })
      .def("card_words", [](const Model& m) { return card_words(m.card); })
      .def("class_texts", [](const Model& m) { return class_texts(m); })
      .def("gives_probabilities", [](const Model& m) { return gives_probabilities(loss_of(m)); })
      .def("weights", &weights)
      .def("intervals", &weight_intervals, nb::arg("level"))
      .def("scores", &score_matrix, nb::arg("rows"))
      .def("predicted", &predicted, nb::arg("rows"))
      .def("probabilities", &probabilities, nb::arg("rows"))
      .def("evaluate_json", &evaluation_json, nb::arg("rows"))
      .def_prop_ro("link_scale", [](const Model& m) { return m.link.scale; })
      .def_prop_ro("loss", [](const Model& m) { return m.loss; })
      .def_prop_ro("encoding", [](const Model& m) { return m.encoding; });
  module.def("up_text", &up_text, nb::arg("value"), nb::arg("digits"));
  module.def(
      "write_file",
      [](const std::filesystem::path& path, const nb::bytes& content) {
        write_file(path.string(), {content.c_str(), content.size()}, "path");
      },
      nb::arg("path"), nb::arg("content"));
}

}  // namespace sotto::python
