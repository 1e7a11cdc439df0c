from __future__ import annotations

import copy
import math
import pickle
import re

import joblib
import numpy as np
import pytest
from conftest import encoding_of, sphere
import scipy.sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
import sotto
from sotto import BudgetExceeded, InvalidData, Ledger, LogisticRegression
from sotto import accounting as ac


def estimator(ledger, epsilon=0.1, **other):
    return LogisticRegression(epsilon=epsilon, delta=1e-8, data_norm=1.0, alpha=0.01, method="bolt_on", accountant=ledger, **other)


@pytest.fixture
def ledger(two, tmp_path):
    return Ledger.create(tmp_path / "l.ledger", epsilon=2.0, delta=1e-6, X=two[0], y=two[1])


def test_a_fit_is_charged_and_asking_again_is_free(two, ledger):
    first = estimator(ledger).fit(*two)
    spent = ledger.spent
    assert spent > 0 and first.privacy_["budget"]["enforced"]
    again = estimator(ledger).fit(*two)
    assert again.stored_ and ledger.spent == spent
    assert np.array_equal(again.coef_, first.coef_)
    assert ledger.verify()["verified"]


def test_copies_clones_and_pickles_charge_the_same_ledger(two, ledger):
    for other in (copy.deepcopy(ledger), copy.copy(ledger), pickle.loads(pickle.dumps(ledger))):
        assert other == ledger
    model = clone(estimator(ledger))
    assert model.accountant == ledger
    pickle.loads(pickle.dumps(model)).fit(*two)
    assert len(ledger.entries) == 1


def test_what_does_not_fit_is_refused_and_charges_nothing(two, ledger):
    with pytest.raises(BudgetExceeded, match="a model of epsilon 2 at delta 1e-08 still fits"):
        estimator(ledger, epsilon=50.0).fit(*two)
    assert ledger.spent == 0
    assert estimator(ledger, epsilon=50.0).privacy_cost(two[0])["budget"]["fits"] is False


def test_every_fold_is_charged(two, ledger):
    cross_val_score(estimator(ledger), *two, cv=KFold(4))
    entries = ledger.entries
    assert [entry["state"] for entry in entries] == ["released"] * 4
    costs = {entry["cost"]["loss"] for entry in entries}
    assert len(costs) == 1 and ledger.spent == pytest.approx(4 * float(costs.pop()))


def test_a_grid_search_over_processes_charges_the_one_ledger(two, ledger):
    search = GridSearchCV(estimator(ledger), {"alpha": [0.01, 0.1]}, cv=KFold(2), n_jobs=2)
    search.fit(*two)
    # Two settings on two folds, and the best once more on all rows.
    assert len(ledger.entries) == 5
    assert ledger.verify()["verified"]
    part = estimator(ledger).fit(two[0][:100], two[1][:100])
    assert any("part of the ledger's data" in remark for remark in part.privacy_["remarks"])


def fit_or_refusal(model, X, y):
    try:
        return model.fit(X, y).privacy_["budget"]["enforced"]
    except BudgetExceeded as refusal:
        return refusal


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_workers_cannot_spend_more_than_there_is(two, tmp_path, backend):
    """Six fits race for a budget of four: each is charged on its own, and none slips past the others."""
    ledger = Ledger.create(tmp_path / "race.ledger", epsilon=0.401, delta=1e-9, name="race", filter="sum")
    model = LogisticRegression(epsilon=0.1, data_norm=1.0, alpha=0.01, method="bolt_on", accountant=ledger)
    with joblib.parallel_config(backend=backend, n_jobs=3):
        said = joblib.Parallel()(joblib.delayed(fit_or_refusal)(clone(model), *two) for _ in range(6))
    assert said.count(True) == 4 and sum(isinstance(s, BudgetExceeded) for s in said) == 2
    assert len(ledger.entries) == 4 and ledger.remaining < 0.1
    assert ledger.verify()["verified"]


def test_more_rows_than_the_ledger_knows_are_refused(two, ledger):
    X, y = sphere(5000, 5)
    with pytest.raises(InvalidData, match="was made for 4000 rows"):
        estimator(ledger).fit(X, y)
    assert ledger.spent == 0


def test_a_model_that_would_not_be_private_is_refused(two, ledger):
    X, y = two
    with pytest.raises(ValueError, match="private requests only"):
        estimator(ledger).fit(X, y + 1)
    assert ledger.spent == 0


def test_a_ledger_by_name_charges_every_fit(two, tmp_path):
    ledger = Ledger.create(tmp_path / "n.ledger", epsilon=1.0, delta=1e-6, name="patients 2026")
    estimator(ledger).fit(*two)
    estimator(ledger).fit(*two)
    assert len(ledger.entries) == 2


def test_the_fingerprint_does_not_depend_on_the_layout(two, ledger):
    X, y = two
    estimator(ledger).fit(X, y)
    assert estimator(ledger).fit(np.asfortranarray(X), y).stored_


@pytest.mark.parametrize("kind", [bool, float, np.int8])
def test_the_same_rows_are_known_by_labels_of_any_kind(two, tmp_path, kind):
    X, y = two
    ledger = Ledger.create(tmp_path / "k.ledger", epsilon=2.0, delta=1e-6, X=X, y=y.astype(kind))
    first = estimator(ledger).fit(X, y.astype(kind))
    assert not any("part of the ledger's data" in remark for remark in first.privacy_["remarks"])
    assert estimator(ledger).fit(X, y).stored_ and len(ledger.entries) == 1


def test_rows_without_labels_make_no_ledger(two, tmp_path):
    with pytest.raises(ValueError, match="y: must be given with X"):
        Ledger.create(tmp_path / "n.ledger", epsilon=2.0, X=two[0])
    assert not (tmp_path / "n.ledger").exists()


def finding(ledger, epsilon=0.1, **other):
    """An estimator that finds its norm in the rows."""
    return estimator(ledger, epsilon, **other).set_params(data_norm="private")


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
def test_a_norm_that_is_found_is_charged_like_the_training(two, tmp_path, form):
    X, y = form(3 * two[0]), two[1]
    ledger = Ledger.create(tmp_path / "p.ledger", epsilon=2.0, delta=1e-6, X=X, y=y, filter="sum")
    first = finding(ledger, fit_intercept=False).fit(X, y)
    assert first.privacy_.is_private and first.privacy_["budget"]["enforced"]
    assert first.privacy_["facts"]["data_norm"] > 2.9 and first.privacy_.epsilon == pytest.approx(0.1, rel=1e-3)
    assert [entry["state"] for entry in ledger.entries] == ["released"] * 2
    assert ledger.spent == pytest.approx(0.1, rel=1e-3)
    again = finding(ledger, fit_intercept=False).fit(X, y)
    assert again.stored_ and len(ledger.entries) == 2 and np.array_equal(again.coef_, first.coef_)
    assert ledger.verify()["verified"]


def test_every_fold_pays_for_its_norm(two, ledger):
    cross_val_score(finding(ledger), *two, cv=KFold(3), error_score="raise")
    assert len(ledger.entries) == 6


def test_no_norm_is_paid_for_where_the_training_does_not_fit(two, tmp_path):
    ledger = Ledger.create(tmp_path / "s.ledger", epsilon=0.15, delta=1e-6, X=two[0], y=two[1], filter="sum")
    with pytest.raises(BudgetExceeded):
        finding(ledger, epsilon=0.2).fit(*two)
    with pytest.raises(ValueError, match="private requests only"):
        finding(ledger).fit(two[0], two[1] + 1)
    with pytest.raises(ValueError, match="not in the declared classes"):
        finding(ledger, classes=[2, 3]).fit(*two)
    with pytest.raises(ValueError, match="has no parameter"):
        finding(ledger, options={"nothing": 1}).fit(*two)
    assert ledger.spent == 0 and not ledger.entries


def test_a_norm_found_without_a_ledger_is_no_norm_for_one(two, ledger):
    """What the one budget did not pay for cannot be trained with under it."""
    from sotto import _core

    about = {"epsilon": 0.01, "relation": "replace_one", "tail": 0.01}
    about |= {
        "training": {"method": "bolt_on", "lambda": "0.01", "epsilon": "1"},
        "not_private": [],
        "facts": {"rows": 4000, "features": 5, "data_norm": 1.0, "classes": 2},
    }
    found = _core.find_norm(two[0], encoding_of(5, 1.0), about)
    model = finding(ledger)
    model._find_norm = lambda *_: found
    with pytest.raises(ValueError, match="found without charging it"):
        model.fit(*two)
    assert ledger.spent == 0


def test_what_is_printed_is_never_below_what_holds(two, tmp_path):
    asked = {"epsilon": 1.0000004, "delta": 1.2349e-6}
    model = LogisticRegression(data_norm=1.0, alpha=0.1, method="output", **asked).fit(*two)
    epsilon, delta = re.search(r"epsilon (\S+), delta (\S+),", repr(model.privacy_)).groups()
    assert 1.0000004 <= float(epsilon) < 1.001 and 1.2349e-6 <= float(delta) < 1.25e-6
    assert model.privacy_.epsilon >= 1.0000004 * (1 - 1e-12)
    granted = Ledger.create(tmp_path / "sum.ledger", epsilon=1.0, delta=1e-6, X=two[0], y=two[1], filter="sum")
    with pytest.raises(BudgetExceeded, match="of 1 and 1e-06 there is 1 and 1e-06 left"):
        estimator(granted, epsilon=50.0).fit(*two)
    assert "1e-06" in repr(ac.filter("sum", 1.0, 1e-6).limit) and granted.show()["guarantee"]["delta"] == 1e-6


def test_a_delta_of_minus_zero_is_zero(two, tmp_path):
    shown = Ledger.create(tmp_path / "pure.ledger", epsilon=1.0, delta=-0.0, X=two[0], y=two[1]).show()
    assert math.copysign(1.0, shown["guarantee"]["delta"]) == 1.0


def test_a_model_from_a_ledger_is_signed_and_keeps_its_bytes(two, ledger, tmp_path):
    path = tmp_path / "m.json"
    fitted = estimator(ledger).fit(*two)
    fitted.save(path)
    signed = path.read_bytes()
    card = sotto.verify(path, ledger.public_key)
    assert card["budget"]["signed_by"] == fitted.privacy_["budget"]["signed_by"]
    (tmp_path / "k.pub").write_text(ledger.public_key)
    assert sotto.verify(path, tmp_path / "k.pub").is_private
    assert sotto.verify(path, card["budget"]["signed_by"]).is_private
    sotto.load(path).save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == signed
    pickle.loads(pickle.dumps(fitted)).save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == signed
    estimator(ledger).fit(*two).save(tmp_path / "again.json")  # the stored answer
    assert (tmp_path / "again.json").read_bytes() == signed
    assert ledger.verify(path)["entry"] == card["budget"]["entry"]


def test_an_edited_model_another_key_and_no_ledger_are_not_verified(two, ledger, tmp_path):
    path = tmp_path / "m.json"
    estimator(ledger).fit(*two).save(path)
    signed = path.read_bytes()
    for place in range(0, len(signed), len(signed) // 20):
        path.write_bytes(signed[:place] + bytes([signed[place] ^ 1]) + signed[place + 1 :])
        with pytest.raises(InvalidData):
            sotto.verify(path, ledger.public_key)
        with pytest.raises(InvalidData, match="byte for byte"):
            ledger.verify(path)
    path.write_bytes(signed)
    with pytest.raises(InvalidData, match="another key"):
        sotto.verify(path, "00" * 32)
    with pytest.raises(InvalidData, match="no public key"):
        sotto.verify(path, "-----BEGIN nothing")
    free = LogisticRegression(epsilon=1.0, data_norm=1.0, alpha=0.01, method="bolt_on").fit(*two)
    assert free.privacy_["budget"]["signed_by"] is None
    free.save(path)
    with pytest.raises(InvalidData, match="no signature"):
        sotto.verify(path, ledger.public_key)


def test_a_budget_is_told_in_percent_and_epsilon_and_can_be_lowered(two, tmp_path):
    ledger = Ledger.create(tmp_path / "b.ledger", epsilon=1, X=two[0], y=two[1])
    assert ledger.budget.delta == 1e-5  # 4000 rows
    LogisticRegression(epsilon=0.5, data_norm=1.0, accountant=ledger).fit(*two)
    assert ledger.budget.words == "50 percent used; a model of epsilon 0.5 still fits" and ledger.budget.words in repr(ledger)
    assert ledger.entries[0]["share"] == "50 percent of the budget"
    assert ledger.lower(0.625) is ledger and ledger.budget.percent_used == 80 and ledger.budget.still_fits == 0.125
    for more in (0.4, 0.9):  # below what is spent, and above what is granted
        with pytest.raises((BudgetExceeded, ValueError), match="^epsilon: .*budget"):
            ledger.lower(more)
    with pytest.raises(OSError, match=r"is there already and is not replaced; Ledger\(path\) opens it"):
        Ledger.create(ledger.path, epsilon=1, X=two[0], y=two[1])
    shown = ledger._repr_html_()
    assert "80 percent used" in shown and "released" in shown and "{" not in shown
    (tmp_path / "b.ledger").unlink()
    assert "b.ledger" in repr(ledger)
