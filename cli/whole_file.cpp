#include "whole_file.h"

#include <fstream>
#include <iterator>

#include "sotto/base/error.h"

namespace sotto::cli {

std::string whole_file(const std::string& path, const char* field) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) throw Error(ErrorKind::io, path + ": cannot be read", field);
  return text;
}

}  // namespace sotto::cli
