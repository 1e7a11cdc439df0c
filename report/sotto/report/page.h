#pragma once
#include <string>
#include <utility>
#include <vector>

namespace sotto::report {

/// One HTML document that needs nothing beside itself: style, script and drawings are in it, and its policy forbids
/// every request to a network.
struct Page {
  std::string title;
  std::vector<std::pair<std::string, std::string>> navigation;  ///< anchor and words
  std::string header;                                           ///< HTML
  std::string body;                                             ///< HTML
};
std::string html_of(const Page& page);

}  // namespace sotto::report
