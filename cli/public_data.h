#pragma once
#include <string>
#include <string_view>
#include <vector>

/// The public data sets the papers train on: where each file comes from, and what its bytes must be.
namespace sotto::cli {

struct PublicFile {
  std::string_view set;
  std::string_view path;    ///< below the folder of the data, gzipped
  std::string_view source;  ///< where the bytes are, gzipped or not
  std::string_view sha256;  ///< of the unpacked bytes
};

/// The files of a set; throws Error{invalid_argument} naming the sets there are.
std::vector<PublicFile> files_of(const std::string& set);

/// Where data are looked for first: SOTTO_DATA, or nowhere.
std::string given_data_folder();

/// What became of a file.
enum class Fetched { was_there, in_given_folder, fetched };

struct FetchOptions {
  std::string folder;  ///< where files are put
  std::string mirror;  ///< fetch from here instead: an address before the path; empty: from the source
};

/// Sees to it that the file is in `folder` or in SOTTO_DATA with the right bytes. A file with other bytes is never used
/// and never left behind. Throws Error{io} if it cannot be fetched, Error{invalid_data} if its checksum is wrong.
Fetched fetch(const PublicFile& file, const FetchOptions& options);

}  // namespace sotto::cli
