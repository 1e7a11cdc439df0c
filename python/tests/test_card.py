"""What a card and a summary look like to people."""

from __future__ import annotations

import re

import pytest
from sotto import LogisticRegression, NotPrivateWarning, PlanWarning


def test_a_card_says_first_in_words_what_was_promised(two):
    card = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0).fit(*two).privacy_
    assert repr(card).startswith(card.words) and "Privacy card: " in repr(card)
    assert card.words.startswith("Promise: if any one row were replaced by another, whatever anybody concludes")
    assert "at most 2.719 times as likely" in card.words  # e, rounded up
    assert "guesses right at most 74 times in 100; a coin has 50" in card.words


def test_a_card_that_promises_nothing_says_why(two):
    with pytest.warns(NotPrivateWarning):
        card = LogisticRegression(epsilon=1.0, data_norm=1.0, method="noiseless", alpha=0.01).fit(*two).privacy_
    assert card.words.startswith("NOT PRIVATE: this model promises nothing, because ") and "NOT PRIVATE" in card._repr_html_()


def test_a_plan_has_words_and_warnings_too(two):
    card = LogisticRegression(epsilon=0.01, data_norm=1.0).privacy_cost(n_samples=100, n_features=20)
    assert "at most 1.01" in card.words and [each["code"] for each in card["warnings"]] == ["noise_above_signal", "few_rows"]
    assert "Warning: the noise is expected to be larger" in repr(card) and "fewer than 100" in card._repr_html_()


def test_the_card_of_a_notebook_is_a_table_for_people(two):
    shown = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(*two).privacy_._repr_html_()
    assert "{" not in shown and "not private because" not in shown and "></td>" not in shown
    assert shown.count("<table") == 1
    about = shown.replace("0.1.0", "")
    assert not re.search(r"[1-9]\d*\.\d{5,}|0\.0*[1-9]\d{4,}", about)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"epsilon": 50.0}, "epsilon_large"),
        ({"delta": 0.1}, "delta_large"),
        ({"epsilon": 0.001}, "noise_above_signal"),
        ({"data_norm": None, "bounds": (-1, 1)}, "norm_assumed"),
    ],
)
def test_a_fit_warns_of_its_plan(two, given, code):
    with pytest.warns(PlanWarning) as warned:
        LogisticRegression(**{"epsilon": 1.0, "data_norm": 1.0} | given).fit(*two)
    assert code in [each.message.code for each in warned if isinstance(each.message, PlanWarning)]


def test_a_summary_has_no_empty_column(two):
    plain = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(*two).summary()
    for shown in (repr(plain), plain._repr_html_()):
        assert "lower" not in shown and "class" not in shown and 'options={"intervals": 0.2}' in shown.replace("&quot;", '"')
    ends = LogisticRegression(epsilon=1.0, data_norm=1.0, options={"intervals": 0.2}).fit(*two).summary(0.9)
    assert "lower" in repr(ends) and repr(ends).endswith("Intervals of 90 percent for sampling and noise.")
    other = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, method="dpgd").fit(*two).summary()
    assert 'method="auto" and options' in other.note
