#include "request.h"

namespace sotto::cli {

RequestFlags::RequestFlags(CLI::App& app)
    : problem_(app, "Problem"), parameters_(app, "Method"), budget_(app, "Budget") {
  app.add_option("--method", method_, "how to train; auto chooses, 'sotto explain' has the others")
      ->group("Method")
      ->type_name(one_of(choices_of<Method>()))
      ->capture_default_str();
  problem_.add_struct<Problem>();
  parameters_.add_catalogue<Method>();
  budget_.add_struct<Budget>();
}

TrainRequest RequestFlags::request() const {
  GivenFields given{{"method", method_}};
  for (const FieldFlags* flags : {&problem_, &parameters_, &budget_}) {
    given.insert(flags->given().begin(), flags->given().end());
  }
  return request_from(given);
}

}  // namespace sotto::cli
