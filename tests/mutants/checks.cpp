// Runs checks of the audit and prints every claim that fell, for tools/mutants.
// Usage: sotto_audit_checks <check>[:<method>]...
#include <cstdio>
#include <exception>
#include <string>

#include "sotto/audit/audit.h"

namespace {

int fallen_claims(const std::string& wanted) {
  using namespace sotto::audit;
  AuditOptions options;
  options.quick = true;
  options.paths = 400;
  const std::size_t colon = wanted.find(':');
  options.check = wanted.substr(0, colon);
  if (colon != std::string::npos) options.method = wanted.substr(colon + 1);
  int fallen = 0;
  try {
    for (const Finding& one : audit_all(options)) {
      if (one.holds()) continue;
      ++fallen;
      std::printf("%s: %s, %s %.4g above %.4g\n", one.check.c_str(), one.subject.c_str(), one.quantity.c_str(),
                  one.found, one.claim);
    }
  } catch (const std::exception& e) {
    ++fallen;
    std::printf("%s: stopped, %s\n", wanted.c_str(), e.what());
  }
  return fallen;
}

}  // namespace

int main(int count, char** words) {
  int fallen = 0;
  for (int i = 1; i < count; ++i) fallen += fallen_claims(words[i]);
  return fallen == 0 ? 0 : 1;
}
