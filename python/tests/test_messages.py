"""What the library refuses is said in the words of the package."""

from __future__ import annotations

import pytest
import sotto
from sotto import BudgetExceeded, Error, InvalidArgument, Ledger, LinearSVC, LogisticRegression, SGDClassifier, Unsupported, audit


def refusal(two, kind=LogisticRegression, **given):
    model = kind(**({"epsilon": 1.0, "data_norm": 1.0} | given))
    with pytest.raises(Error) as fitted:
        model.fit(*two)
    with pytest.raises(Error) as planned:
        model.privacy_cost(two[0])
    assert str(fitted.value) == str(planned.value) and type(fitted.value) is type(planned.value)
    return str(fitted.value)


@pytest.mark.parametrize("keyword", ["max_iter", "batch_size"])
def test_what_auto_chooses_is_named_as_it_was_given(two, keyword):
    said = refusal(two, **{keyword: 3})
    assert said.startswith(f"{keyword}: method auto chooses it; leave {keyword} out, or name a method") and "bolt_on" in said
    assert refusal(two, method="objective", **{keyword: 3}).startswith(f"{keyword}: method objective has none")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"max_iter": -3, "method": "bolt_on"}, "max_iter: got '-3', must be a whole number"),
        ({"batch_size": 0.5, "method": "bolt_on"}, "batch_size: got '0.5'"),
        ({"neighboring_relation": "foo"}, "neighboring_relation: got 'foo'"),
        ({"alpha": -1.0}, "alpha: must be 0 or"),
        ({"method": "output", "data_norm": 1.0}, "C or alpha: got 0"),
        ({"kind": SGDClassifier, "learning_rate": "foo"}, "learning_rate: got 'foo'"),
        ({"kind": SGDClassifier, "eta0": 0.1}, "eta0: step "),
        ({"kind": SGDClassifier, "eta0": 0.1, "method": "auto"}, "eta0: method auto chooses it"),
    ],
)
def test_a_field_goes_by_its_keyword(two, given, said):
    assert refusal(two, **given).startswith(said)


def test_what_is_no_keyword_is_named_as_an_option(two):
    for delta in (0.0, 1e-6):
        said = refusal(two, neighboring_relation="add_remove", delta=delta)
        assert said.startswith("declared_rows: must be given under add_remove") and 'options={"declared_rows": ...}' in said
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, neighboring_relation="add_remove", options={"declared_rows": 4000})
    assert model.fit(*two).privacy_["relation"] == "add_remove"


def test_audits_say_it_too():
    with pytest.raises(InvalidArgument, match="^max_iter: method auto chooses it"):
        audit.planned(LogisticRegression(epsilon=1.0, data_norm=1.0, max_iter=2), n_samples=60, n_features=3)


def test_a_ledger_names_how_another_is_made(two, tmp_path):
    ledger = Ledger.create(tmp_path / "z.ledger", epsilon=1.0, delta=1e-6, name="rows", filter="zcdp")
    with pytest.raises(BudgetExceeded, match=r'Ledger.create\(filter="sum"\)'):
        LogisticRegression(epsilon=1.0, data_norm=1.0, accountant=ledger).fit(*two)
    sampled = LogisticRegression(epsilon=0.5, delta=1e-8, data_norm=1.0, method="dpsgd", accountant=ledger)
    with pytest.raises(Unsupported, match=r'^accountant: .* with filter sum .*Ledger.create\(filter="sum"\)') as refused:
        sampled.fit(*two)
    assert "--filter" not in str(refused.value) and not ledger.entries


def test_a_stream_serves_a_ledger_by_its_fingerprint(two, tmp_path):
    pa = pytest.importorskip("pyarrow")
    X, y = two
    table = pa.table({name: X[:, i] for i, name in enumerate("abcde")} | {"y": y})
    ledger = Ledger.create(tmp_path / "z.ledger", epsilon=9.0, delta=1e-6, name="rows")
    model = LogisticRegression(epsilon=1.0, delta=1e-8, alpha=0.01, method="bolt_on", accountant=ledger)

    def packed(**other):
        sotto.pack(table.to_reader(), tmp_path / "b", label="y", classes=[0, 1], data_norm=1.0, **other)
        return tmp_path / "b"

    with pytest.raises(Unsupported, match=r"pack\(fingerprint=...\)"):
        model.fit_block_file(packed())
    with pytest.raises(InvalidArgument, match="fingerprint: must be 64"):
        packed(fingerprint="my rows")
    assert not ledger.entries
    assert model.fit_block_file(packed(fingerprint="ab" * 32)).privacy_["budget"]["enforced"]


def test_every_hint_of_the_library_has_words():
    from sotto import _core
    from sotto._hints import WORDS, hinted

    assert set(WORDS) == set(_core.hint_kinds())
    for kind in WORDS:
        words = WORDS[kind](hinted(Error("m"), kind, "method", "bolt_on"))
        assert bool(words) == (kind != "none") and not words.startswith("--")


def test_a_hint_travels_with_its_error(two):
    import pickle

    model = LogisticRegression(epsilon=1.0, data_norm=1.0, max_iter=3)
    with pytest.raises(InvalidArgument) as refused:
        model.fit(*two)
    error = refused.value
    assert error.field == "passes" and error.hint.kind == "other_choice" and error.hint.arguments[0] == "method"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_step_without_the_parameter_names_one_that_has_it(two):
    said = refusal(two, kind=SGDClassifier, eta0=0.1)
    assert said.endswith("leave eta0 out, or name a learning_rate that has it (constant)")


@pytest.mark.parametrize("name", ["sample_weight", "class_weight", "warm_start", "penalty", "solver", "l1_ratio", "multi_class", "dual", "tol"])
def test_what_scikit_learn_has_and_this_has_not_is_refused_with_the_reason(two, name):
    from sotto._refused import WHY

    for kind in (LogisticRegression, LinearSVC, SGDClassifier):
        for ask in (lambda: kind(epsilon=1.0, **{name: 1}), lambda: kind(epsilon=1.0, data_norm=1.0).fit(*two, **{name: 1})):
            with pytest.raises((TypeError, Unsupported)) as refused:
                ask()
            assert WHY[name] in str(refused.value)
        with pytest.raises(ValueError, match=f"^{name}: "):
            kind().set_params(**{name: 1})


def test_weights_that_are_none_are_none(two):
    assert LogisticRegression(epsilon=1.0, data_norm=1.0).fit(*two, sample_weight=None).privacy_.is_private


def test_a_slip_in_a_keyword_is_named():
    with pytest.raises(TypeError, match="no parameter eps: did you mean epsilon"):
        LogisticRegression(eps=1.0)
    with pytest.raises(TypeError, match=r"keywords only: write LogisticRegression\(epsilon=1.0, ...\)"):
        LogisticRegression(1.0)
    with pytest.raises(AttributeError, match="partial_fit: every batch would be a release of its own"):
        SGDClassifier().partial_fit
    assert not hasattr(LogisticRegression(), "partial_fit")


def test_a_ledger_without_rows_needs_a_delta(tmp_path):
    with pytest.raises(InvalidArgument, match="^delta: must be given where the number of rows is not known"):
        Ledger.create(tmp_path / "n.ledger", epsilon=1.0, name="people")
    assert not (tmp_path / "n.ledger").exists()
