#pragma once
#include <string>

namespace sotto::cli {

/// The bytes of a file. Throws Error{io} about `field`.
std::string whole_file(const std::string& path, const char* field);

}  // namespace sotto::cli
