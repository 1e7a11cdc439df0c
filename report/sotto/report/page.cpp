#include "sotto/report/page.h"

#include <fmt/format.h>

#include "sotto/base/version.h"
#include "sotto/report/html.h"
#include "sotto/report/page_assets.h"
#include "sotto/report/palette.h"

namespace sotto::report {
namespace {

std::string style() {
  std::string text = std::string(kLightStyle) + chart_style(kLight);
  // Paper is white whatever the screen is.
  text += "@media screen and (prefers-color-scheme:dark){";
  text.append(kDarkStyle).append(chart_style(kDark)).append("}\n").append(kPageStyle);
  return text;
}

}  // namespace

std::string html_of(const Page& page) {
  std::string text = fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="sotto {}">
<link rel="icon" href="data:,">
<title>{}</title>
<style>
{}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
)",
      kVersion, escaped(page.title), style());
  text += fmt::format("<header class=\"top\"><div class=\"wide\">{}</div></header>\n", page.header);
  if (!page.navigation.empty()) {
    text += "<nav aria-label=\"Sections\"><div class=\"wide\">";
    for (const auto& [anchor, words] : page.navigation) {
      text += fmt::format("<a href=\"#{}\">{}</a>", escaped(anchor), escaped(words));
    }
    text += "</div></nav>\n";
  }
  text += fmt::format("<main id=\"content\" class=\"wide\">\n{}</main>\n", page.body);
  text += fmt::format("<footer class=\"wide\">Made by sotto {}. This page loads nothing from anywhere.</footer>\n",
                      kVersion);
  return text.append("<script>\n").append(kPageScript).append("</script>\n</body>\n</html>\n");
}

}  // namespace sotto::report
