#include "sotto/files/reading.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/files/table_source.h"

namespace sotto {
namespace {

/// The file's own name in small letters, without ".gz".
std::string plain_name(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

bool ends_with_any(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

bool looks_like_idx(const std::string& name) {
  const std::size_t found = name.rfind("idx");
  return found != name.npos && (found + 3 == name.size() || std::isdigit(static_cast<unsigned char>(name[found + 3])));
}

}  // namespace

FileFormat format_of(const std::string& path, const Schema& schema) {
  if (schema.format != FileFormat::automatic) return schema.format;
  const std::string name = plain_name(path);
  if (ends_with_any(name, {".libsvm", ".svm", ".svmlight"})) return FileFormat::libsvm;
  return looks_like_idx(name) ? FileFormat::idx : FileFormat::csv;
}

char separator_of(const std::string& path, const Schema& schema) {
  const std::string& given = schema.separator;
  if (given == "auto") {
    const std::string name = plain_name(path);
    if (ends_with_any(name, {".tsv", ".tab"})) return '\t';
    return name.ends_with(".dat") ? ' ' : ',';
  }
  if (given == "blank") return ' ';
  if (given == "tab") return '\t';
  constexpr std::string_view kMeaningful = "\"\r\n.+-\0";
  const bool ok = given.size() == 1 && !std::isalnum(static_cast<unsigned char>(given[0])) &&
                  kMeaningful.find(given[0]) == kMeaningful.npos && given[0] != '\0';
  require(ok, "separator", "must be auto, blank, tab or one character that no number or quote is written with");
  return given[0];
}

std::optional<std::string> usual_labels_path(const std::string& path) {
  std::string result = path;
  const std::size_t images = result.rfind("images");
  if (images != result.npos) result.replace(images, 6, "labels");
  const std::size_t dimensions = result.rfind("idx3");
  if (dimensions != result.npos) result.replace(dimensions, 4, "idx1");
  if (result == path) return std::nullopt;
  return result;
}

std::string labels_path(const std::string& path, const Schema& schema) {
  if (!schema.labels_file.empty()) return schema.labels_file;
  const std::optional<std::string> beside = usual_labels_path(path);
  require(beside.has_value(), "labels_file",
          "declare the file with the labels of " + path + "; it cannot be told from that name");
  return *beside;
}

void require_features(const Schema& schema) {
  require(schema.features > 0, "features", "declare the public number of features of a LIBSVM file");
}

std::string reading_of(const std::string& path, const Schema& schema) {
  switch (format_of(path, schema)) {
    case FileFormat::idx: return "idx";
    case FileFormat::libsvm:
      require_features(schema);
      return "libsvm, " + std::to_string(schema.features) + " features";
    default: {
      if (is_table(path)) return "parquet";
      const char separator = separator_of(path, schema);
      const std::string shown = separator == ' ' ? "blank" : separator == '\t' ? "tab" : std::string(1, separator);
      return "csv, separator " + shown + (schema.header == HeaderLine::absent ? ", no header, " : ", a header, ") +
             std::to_string(schema.skip_lines) + " lines skipped";
    }
  }
}

}  // namespace sotto
