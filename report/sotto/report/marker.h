#pragma once
#include <string>

#include "sotto/report/chart.h"

/// The look of a series by its number: colour, marker and dash differ, so that no two rest on colour alone.
namespace sotto::report {

struct Place {
  double x = 0;
  double y = 0;
};

/// The classes of the group that holds a series.
std::string series_classes(const Series& series, std::size_t number);
/// The dash attribute of its line, with a leading blank; empty for a full line.
std::string dash_of(const Series& series, std::size_t number);
/// Its marker around a place.
std::string marker_at(std::size_t number, const Place& place);

}  // namespace sotto::report
