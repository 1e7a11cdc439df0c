#include "utility/contender.h"

#include <sstream>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto::utility {

std::string Contender::settings_text() const {
  std::string text;
  for (const auto& [field, value] : settings) text += (text.empty() ? "" : " ") + field + "=" + value;
  return text;
}

Contender parse_contender(const std::string& text) {
  std::istringstream words(text);
  Contender contender;
  words >> contender.method;
  contender.name = contender.method;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    require(equals != std::string::npos, "try", "got '" + word + "', must be field=value");
    contender.settings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return contender;
}

TrainRequest request_of(const Contender& contender, const Facts& facts, const Loss& loss, const Budget& budget) {
  TrainRequest request;
  request.problem.loss = loss;
  request.method = make_by_name<Method>(contender.method, "method");
  request.budget = budget;
  for (const auto& [field, value] : contender.settings) {
    if (field == "curvature") {
      request.problem.lambda = parse_number(value, field) / static_cast<double>(facts.rows);
      continue;
    }
    bool found = set_field(request.problem, field, value);
    if (!found) {
      std::visit([&](auto& method) { found = set_field(method, field, value); }, request.method);
    }
    require(found, field, contender.method + " has no such parameter");
  }
  return request;
}

std::vector<Contender> product_methods(bool two_classes) {
  std::vector<Contender> methods = {{"auto", "auto"}};
  if (two_classes) methods.push_back({"auto huber_svm", "auto", {{"loss", "huber_svm"}, {"huber_width", "1"}}});
  return methods;
}

std::vector<Contender> private_methods() {
  return {{"auto", "auto"},
          {"objective", "objective", {{"curvature", "10"}}},
          {"output", "output", {{"curvature", "100"}}},
          {"dpgd", "dpgd"},
          {"whitened_dpgd", "whitened_dpgd"},
          {"dpsgd", "dpsgd", {{"passes", "20"}}},
          {"correlated", "correlated"},
          {"bolt_on", "bolt_on", {{"passes", "10"}, {"batch_rows", "50"}, {"lambda", "0.001"}}},
          {"bolt_on convex", "bolt_on", {{"passes", "10"}, {"batch_rows", "1000"}}},
          {"scs13", "scs13", {{"batch_rows", "50"}, {"lambda", "0.001"}}},
          {"bst14", "bst14", {{"radius", "10"}}},
          {"dp_agd", "dp_agd"},
          {"cms11", "cms11", {{"curvature", "1"}}, true},
          {"kst12", "kst12", {{"curvature", "1"}}},
          {"amp", "amp", {{"curvature", "1"}}},
          {"priv_gene", "priv_gene", {}, true},
          {"majority", "majority"}};
}

std::vector<Contender> tuned_grids() {
  std::vector<Contender> grid;
  for (const char* curvature : {"1", "3", "10", "30", "100", "300", "1000"}) {
    grid.push_back({"objective *", "objective", {{"curvature", curvature}}});
  }
  for (const char* passes : {"10", "20", "40", "80", "160"}) {
    grid.push_back({"dpgd *", "dpgd", {{"passes", passes}}});
    grid.push_back({"dpgd *", "dpgd", {{"passes", passes}, {"averaging", "tail"}}});
    grid.push_back({"dpgd *", "dpgd", {{"passes", passes}, {"momentum", "0.9"}}});
  }
  return grid;
}

std::vector<Contender> references() {
  // C = 1000 of other libraries: the intercept and every weight regularised, hardly.
  return {{"lbfgs", "lbfgs", {{"curvature", "0.001"}}}};
}

std::vector<Contender> lee18_methods() {
  return {{"dp_agd", "dp_agd"},
          {"cms11 (ObjPert)", "cms11", {{"lambda", "0.001"}}, true},
          {"output (OutPert)", "output", {{"lambda", "0.001"}}},
          {"priv_gene (PrivGene)", "priv_gene", {}, true},
          {"dpsgd advanced (SGD-Adv)", "dpsgd", {{"accounting", "advanced"}, {"passes", "10"}}},
          {"dpsgd rdp (SGD-MA)", "dpsgd", {{"accounting", "rdp"}, {"passes", "10"}}},
          {"majority", "majority"}};
}

}  // namespace sotto::utility
