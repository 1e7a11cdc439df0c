#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sotto/base/fields.h"
#include "sotto/report/html.h"
#include "sotto/report/page.h"
#include "sotto/report/replication.h"

namespace sotto::report {
namespace {

/// The papers in the order in which they first appear.
std::vector<std::string> papers_of(const Replication& replication) {
  std::vector<std::string> papers;
  for (const PaperFigure& figure : replication.figures) {
    if (std::find(papers.begin(), papers.end(), figure.paper) == papers.end()) papers.push_back(figure.paper);
  }
  return papers;
}

std::string paper_anchor(const std::string& paper) { return "paper-" + paper; }

VerdictKind kind_of(const PaperFigure& figure) { return figure.figure.verdict.value_or(Verdict{}).kind; }

std::string tally(const Replication& replication) {
  std::map<VerdictKind, std::size_t> counts;
  for (const PaperFigure& figure : replication.figures) ++counts[kind_of(figure)];
  std::string list = R"(<ul class="tally">)", share = R"(<div class="share" aria-hidden="true">)";
  for (const auto& [kind, count] : counts) {
    list += fmt::format("<li>{} <strong>{}</strong></li>", verdict_label(kind), count);
    share += fmt::format(R"(<i class="{}" style="flex:{}"></i>)", enum_name(kind), count);
  }
  return list + "</ul>" + share + "</div>";
}

std::string verdict_rows(const Replication& replication, const std::string& paper) {
  std::string text = fmt::format(R"(<tr class="paper"><th colspan="3" scope="rowgroup">{}</th></tr>)", escaped(paper));
  for (const PaperFigure& figure : replication.figures) {
    if (figure.paper != paper) continue;
    const std::string why = figure.figure.verdict.value_or(Verdict{}).text;
    text += fmt::format(R"(<tr><td><a href="#{}">{}</a></td><td>{}{}</td><td>{}</td></tr>)", escaped(figure.figure.id),
                        escaped(figure.number), escaped(figure.figure.title),
                        why.empty() ? "" : "<br><small>" + escaped(why) + "</small>", verdict_label(kind_of(figure)));
  }
  return text + "\n";
}

std::string verdict_table(const Replication& replication) {
  std::string text =
      R"(<section id="verdicts"><h2>Verdicts</h2><div class="box"><table class="stack"><thead><tr>)"
      R"(<th scope="col">Figure</th><th scope="col">What it shows</th><th scope="col">Verdict</th></tr></thead><tbody>)";
  for (const std::string& paper : papers_of(replication)) text += verdict_rows(replication, paper);
  return text + "</tbody></table></div></section>\n";
}

std::string claim_verdict(const std::string& verdict) {
  for (const auto& [name, kind] : enum_names(VerdictKind{})) {
    if (name == verdict) return verdict_label(kind);
  }
  return escaped(verdict);
}

std::string claim_table(const Replication& replication) {
  if (replication.claims.empty()) return "";
  std::string text =
      R"(<section id="claims"><h2>Claims in prose</h2><div class="box"><table class="stack claims"><thead><tr>)"
      R"(<th scope="col">Paper</th><th scope="col">Claim</th><th scope="col">Published</th>)"
      R"(<th scope="col">Measured</th><th scope="col">Verdict</th></tr></thead><tbody>)";
  for (const Claim& claim : replication.claims) {
    text += fmt::format(
        R"(<tr><td>{}</td><td>{}</td><td data-name="Published">{}</td><td data-name="Measured">{}</td><td>{}</td></tr>)"
        "\n",
        escaped(claim.paper), escaped(claim.claim), escaped(claim.published), escaped(claim.measured),
        claim_verdict(claim.verdict));
  }
  return text + "</tbody></table></div></section>\n";
}

std::string paper_section(const Replication& replication, const std::string& paper) {
  std::string text = fmt::format(R"(<section id="{}"><h2>{}</h2>)"
                                 "\n",
                                 escaped(paper_anchor(paper)), escaped(paper));
  for (const PaperFigure& figure : replication.figures) {
    if (figure.paper != paper) continue;
    Figure shown = figure.figure;
    shown.title = figure.number + ". " + shown.title;
    text += html_of(shown);
  }
  return text + "</section>\n";
}

}  // namespace

std::string html_of(const Replication& replication) {
  Page page{replication.title, {{"verdicts", "Verdicts"}}, "", ""};
  page.header = fmt::format(R"(<p class="kicker">Replication</p><h1>{}</h1><p class="lead">{}</p>{})",
                            escaped(replication.title), escaped(replication.introduction), tally(replication));
  page.body = verdict_table(replication) + claim_table(replication);
  if (!replication.claims.empty()) page.navigation.emplace_back("claims", "Claims");
  for (const std::string& paper : papers_of(replication)) {
    page.navigation.emplace_back(paper_anchor(paper), paper);
    page.body += paper_section(replication, paper);
  }
  return html_of(page);
}

}  // namespace sotto::report
