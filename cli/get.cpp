#include <fmt/format.h>

#include <memory>

#include "public_data.h"
#include "sotto/model/json.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

struct GetVerb {
  explicit GetVerb(CLI::App& app) {
    app.add_option("name", name, "the set: a folder of docs' table of data, such as mnist, adult or kddcup99")
        ->required()
        ->type_name("NAME");
    app.add_option("--out", options.folder, "folder for the files; SOTTO_DATA is looked into first")
        ->type_name("FOLDER")
        ->capture_default_str();
    app.add_option("--mirror", options.mirror, "address of a folder like it, to fetch from instead of the sources")
        ->type_name("URL");
  }

  void run(const Output& output) const {
    Json files = Json::array();
    std::string text;
    for (const PublicFile& file : files_of(name)) {
      const Fetched how = fetch(file, options);
      const std::string folder = how == Fetched::in_given_folder ? given_data_folder() : options.folder;
      const std::string path = folder + "/" + std::string(file.path);
      files.push_back(Json{{"path", path}, {"sha256", file.sha256}, {"fetched", how == Fetched::fetched}});
      text += fmt::format("{}{} {}", text.empty() ? "" : "\n", path,
                          how == Fetched::fetched ? "fetched, checksum right" : "is there, checksum right");
    }
    output.print(output.json ? Json{{"name", name}, {"files", files}}.dump(2) : text);
  }

  std::string name;
  FetchOptions options{"data", ""};
};

}  // namespace

void add_get(CLI::App& data, Output& output) {
  add<GetVerb>(data, output, "get", "fetch a public data set and check it against its pinned checksum");
}

}  // namespace sotto::cli
