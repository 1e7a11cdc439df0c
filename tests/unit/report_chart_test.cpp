#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "sotto/privacy/accountant/curve.h"
#include "sotto/report/chart.h"
#include "sotto/report/curves.h"
#include "sotto/report/figure.h"
#include "sotto/report/html.h"
#include "sotto/report/page.h"
#include "sotto/report/palette.h"
#include "sotto/report/values_table.h"

namespace sotto::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Chart two_curves() {
  Chart chart{"title", {"epsilon", Scale::log}, {"accuracy"}};
  chart.series = {{"corrected", true, Mark::line, {{0.1, 0.7, 0.05, 20}, {1, 0.9, 0.01, 20}}},
                  {"published", false, Mark::line, {{0.1, 0.8}, {1, 0.95}}}};
  return chart;
}

TEST(ReportText, EverythingThatHtmlReadsIsEscaped) {
  EXPECT_EQ(escaped("<a href=\"x\" b='y'>&amp;</a>"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
  EXPECT_EQ(escaped(std::string("a\0b\x1b[0m\n", 9)), "ab[0m\n");
}

TEST(ReportText, NumbersAreShort) {
  EXPECT_EQ(short_number(0.123456), "0.1235");
  EXPECT_EQ(short_number(1234567), "1,234,567");
  EXPECT_EQ(short_number(-12345), "-12,345");
  EXPECT_EQ(short_number(1e-6), "1e-6");
  EXPECT_EQ(short_number(0), "0");
}

TEST(ReportAxis, TicksAreRoundAndInside) {
  for (const Span span : {Span{0, 60000}, Span{0.81, 0.87}, Span{-3, 4}, Span{1e-9, 1, Scale::log},
                          Span{0.9, 55, Scale::log}, Span{0.3, 0.4, Scale::log}}) {
    const auto all = ticks(span, 5);
    EXPECT_GE(all.size(), 3u);
    EXPECT_LE(all.size(), 12u);
    for (const Tick& tick : all) {
      EXPECT_GE(tick.value, span.low * (1 - 1e-6) - 1e-12);
      EXPECT_LE(tick.value, span.high * (1 + 1e-6) + 1e-12);
    }
  }
  EXPECT_EQ(ticks({0, 60000}, 6)[1].text, "10,000");
  EXPECT_EQ(ticks({1e-9, 1, Scale::log}, 3)[0].text, "10⁻⁹");
}

TEST(ReportAxis, ASpanTakesWhatCanBeDrawn) {
  const Span span = span_of({0, -1, 0.01, 100, NAN, INFINITY}, Scale::log, 0);
  EXPECT_DOUBLE_EQ(span.low, 0.01);
  EXPECT_DOUBLE_EQ(span.high, 100);
  EXPECT_NEAR(span.share(1), 0.5, 1e-12);
  EXPECT_EQ(span.share(0), 0);
  EXPECT_FALSE(span.takes(0));
  const Span flat = span_of({2, 2}, Scale::linear, 0);
  EXPECT_LT(flat.low, 2);
  EXPECT_GT(flat.high, 2);
  EXPECT_LT(span_of({}, Scale::log, 0).low, 1);
}

TEST(ReportChart, CurvesHaveBarsMarkersAndAMarkOfWhatIsNotPrivate) {
  const std::string svg = svg_inline(two_curves());
  EXPECT_EQ(count(svg, "class=\"mark\""), 4u);
  EXPECT_EQ(count(svg, "class=\"bar\""), 1u);
  EXPECT_EQ(count(svg, "class=\"series c1 open\""), 1u);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"1.5 4\""), 1u);
  const std::string words = legend(two_curves().series);
  EXPECT_EQ(count(words, "not private"), 1u);
  EXPECT_LT(words.find("published"), words.find("not private"));
}

TEST(ReportChart, AGapCutsTheLine) {
  Chart chart = two_curves();
  chart.series[0].points = {{0.1, 1}, {0.2, 2}, {0.4, NAN}, {0.8, 2}, {1, 3}};
  chart.series.resize(1);
  const std::string svg = svg_inline(chart);
  const std::size_t at = svg.find("class=\"line\"");
  const std::string way = svg.substr(at, svg.find("/>", at) - at);
  EXPECT_EQ(count(way, "M"), 2u);
  EXPECT_EQ(count(way, "L"), 2u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(ReportChart, ManyPointsGetABandAndFewMarkers) {
  Chart chart{"", {"x"}, {"y"}};
  chart.series = {{"dense"}};
  for (int i = 0; i < 500; ++i) chart.series[0].points.push_back({double(i), std::sin(i / 50.0), 0.1});
  const std::string svg = svg_inline(chart);
  EXPECT_EQ(count(svg, "class=\"band\""), 1u);
  EXPECT_LE(count(svg, "class=\"mark\""), 12u);
  EXPECT_LE(count(values_table(chart), "<tr>"), 125u);
  EXPECT_NE(values_table(chart).find("data-v=\"499\""), std::string::npos);
}

TEST(ReportChart, AFileStandsAlone) {
  const auto profile = privacy_profile(GaussianEvent{1}, Relation::replace_one, 2, 3);
  const std::string svg = svg_file(profile_chart(profile, "a < b & c"));
  EXPECT_EQ(svg.rfind("<svg xmlns", 0), 0u);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("<style>"), std::string::npos);
  EXPECT_EQ(svg.find("var("), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

double luminance(const char* colour) {
  const auto part = [&](int at) {
    const double v = std::stoi(std::string(colour + at, 2), nullptr, 16) / 255.0;
    return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

TEST(ReportPalette, EveryColourStandsOutFromItsGround) {
  for (const Palette& palette : {kLight, kDark}) {
    std::vector<const char*> colours(palette.series.begin(), palette.series.end());
    colours.push_back(palette.ink);
    colours.push_back(palette.muted);
    for (const char* colour : colours) {
      const double a = luminance(colour), b = luminance(palette.paper);
      EXPECT_GE((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05), 4.5) << colour;
    }
  }
}

TEST(ReportFigure, OneLegendServesPanelsOfTheSameSeries) {
  Figure figure{"id", "title"};
  figure.panels = {two_curves(), two_curves()};
  EXPECT_EQ(count(html_of(figure), "class=\"legend\""), 1u);
  figure.panels[1].series.pop_back();
  EXPECT_EQ(count(html_of(figure), "class=\"legend\""), 2u);
}

TEST(ReportFigure, TheDataFileIsLinkedAndKept) {
  Figure figure{"id", "title"};
  figure.data = DataFile{"id.csv", "figures/id.csv", "a,b\n1"};
  const std::string html = html_of(figure);
  EXPECT_NE(html.find("href=\"figures/id.csv\""), std::string::npos);
  EXPECT_NE(html.find("href=\"data:text/csv;base64,YSxiCjE=\""), std::string::npos);
}

TEST(ReportPage, NeedsNothingBesideItself) {
  const std::string html = html_of(Page{"<title>", {{"a", "A & B"}}, "", ""});
  EXPECT_NE(html.find("<title>&lt;title&gt;</title>"), std::string::npos);
  EXPECT_NE(html.find("A &amp; B"), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* outside : {"http://", "https://", "src=\"", "@import", "url("}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
}

}  // namespace
}  // namespace sotto::report
