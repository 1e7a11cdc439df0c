"""Categories are declared, a missing one too."""

from __future__ import annotations

import numpy as np
import pytest
from sotto import InvalidArgument, OneHot

pandas = pytest.importorskip("pandas")


def held():
    """The cells a, missing, b, missing in everything that has a way to say so."""
    polars = pytest.importorskip("polars")
    yield pandas.DataFrame({"c": ["a", None, "b", np.nan]})
    yield pandas.DataFrame({"c": pandas.array(["a", pandas.NA, "b", pandas.NA], dtype="string")})
    yield pandas.DataFrame({"c": pandas.Categorical(["a", None, "b", None])})
    yield np.array([["a"], [None], ["b"], [np.nan]], dtype=object)
    yield polars.DataFrame({"c": ["a", None, "b", None]})


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), np.float32("nan"), pandas.NA])
def test_a_missing_value_may_be_declared(missing):
    for table in held():
        encoded = OneHot([["a", missing]]).fit_transform(table)
        assert encoded.tolist() == [[1, 0], [0, 1], [0, 0], [0, 1]]
    numbers = pandas.DataFrame({"n": pandas.Series([1, pandas.NA, 2], dtype="Int64"), "f": [0.5, np.nan, 1.0]})
    encoded = OneHot([[1, missing], [0.5, missing]]).fit_transform(numbers)
    assert encoded.tolist() == [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("categories", "said"),
    [
        ([["a"], [1], [2]], "3 lists are declared for 2 columns"),
        ([["a"]], "declare a list for every column"),
        ({"c": ["a"], "d": [1], "e": [2]}, "there is no column 'e'"),
        ([["a"], []], "the list of column 'd' is empty"),
        ({"c": [], "d": [1]}, "the list of column 'c' is empty"),
    ],
)
def test_lists_that_are_not_for_the_columns_are_refused(categories, said):
    frame = pandas.DataFrame({"c": ["a", "b"], "d": [1, 2]})
    with pytest.raises(InvalidArgument, match=said):
        OneHot(categories).fit(frame)
