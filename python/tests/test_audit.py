from __future__ import annotations

import pytest
from sotto import InvalidArgument, LogisticRegression, Unsupported, audit


def test_the_promise_of_a_planned_fit_stands_under_attack():
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, alpha=0.05, method="bolt_on", max_iter=2, fit_intercept=False)
    found = audit.planned(model, n_samples=60, n_features=3, games=200)
    assert found.holds and {f.check for f in found} >= {"replay", "game", "one_run"}
    replay = next(f for f in found if f.check == "replay")
    # Without noise the weights may come as far apart as claimed, and worst-case rows do bring them near it.
    assert 0.3 < replay.found <= replay.claim == 1
    assert found.svg.startswith("<svg") and "verdict" in repr(found) and "<table>" in found._repr_html_()


def test_a_fallen_claim_is_called_so():
    fallen = audit.Finding("game", "m", "epsilon", 1.0, 2.0, False, True, "")
    mute = audit.Finding("one_run", "m", "epsilon", 1.0, 0.0, True, False, "")
    assert not audit.Audit([fallen, mute]).holds
    assert [f.verdict for f in audit.Audit([fallen, mute])] == ["FALLEN", "mute"]


def test_an_exhibit_of_the_museum_is_caught():
    shown = audit.museum(exhibit="divided_by_batch", games=500)
    assert len(shown) == 1 and shown[0]["caught"] and shown[0]["control_holds"]
    with pytest.raises(InvalidArgument, match="none of that name"):
        audit.museum(exhibit="nothing")


def test_one_check_of_everything():
    assert "samplers" in audit.checks()
    found = audit.everything(check="replay", method="bolt_on", games=100)
    assert found.holds and {f.check for f in found} <= {"replay", "tightness"}
    with pytest.raises(InvalidArgument):
        audit.everything(check="replay", method="noiseless")


def test_what_cannot_be_audited_is_refused():
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, alpha=0.05, method="bolt_on", neighboring_relation="add_remove")
    with pytest.raises((Unsupported, ValueError), match="replace_one"):
        audit.planned(model, n_samples=50, n_features=2)
    with pytest.raises(InvalidArgument, match="n_samples"):
        audit.planned(model)
