#include "request.h"

namespace sotto::cli {
namespace {

void refuse_unused(const GivenFields& given, const std::set<std::string>& used, const std::string& owner) {
  for (const auto& [name, text] : given) {
    if (used.contains(name)) continue;
    std::string message = flag_of(name);
    message.append(": ").append(owner).append(" has no parameter ").append(name);
    throw Error(ErrorKind::invalid_argument, message, name);
  }
}

}  // namespace

RequestFlags::RequestFlags(CLI::App& app)
    : problem_(app, "Problem"), parameters_(app, "Method"), budget_(app, "Budget") {
  app.add_option("--method", method_, "the method: " + join_names(names<Method>()))
      ->group("Method")
      ->type_name("")
      ->capture_default_str();
  problem_.add_struct<Problem>();
  parameters_.add_catalogue<Method>();
  budget_.add_struct<Budget>();
}

TrainRequest RequestFlags::request() const {
  TrainRequest request;
  std::set<std::string> used;
  apply_fields(request.problem, problem_.given(), used);
  refuse_unused(problem_.given(), used, "loss " + std::string(name_of(request.problem.loss)));
  request.method = make_by_name<Method>(method_, "method");
  std::visit([&](auto& method) { apply_fields(method, parameters_.given(), used); }, request.method);
  const bool chooses = std::holds_alternative<Auto>(request.method);
  refuse_unused(parameters_.given(), used,
                "method " + method_ + (chooses ? ", which chooses itself (name a --method)," : ", set up like this,"));
  apply_fields(request.budget, budget_.given(), used);
  return request;
}

}  // namespace sotto::cli
