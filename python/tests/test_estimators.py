from __future__ import annotations

import json
import pickle
import warnings

import numpy as np
import pytest
import sotto
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sotto import LinearSVC, LogisticRegression, NotPrivateWarning, OneHot, Scaler, SGDClassifier

ESTIMATORS = [LogisticRegression, LinearSVC, SGDClassifier]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_private_model_of_easy_rows_predicts_them(estimator, two):
    X, y = two
    model = estimator(epsilon=5.0, data_norm=1.0, alpha=0.01, method="bolt_on").fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.privacy_.is_private
    assert model.privacy_["relation"] == "replace_one"
    assert 5.0 <= model.privacy_.epsilon < 5.001
    assert model.coef_.shape == (1, 5) and model.intercept_.shape == (1,)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_more_than_two_classes_have_a_weight_vector_each(estimator, three):
    X, y = three
    model = estimator(epsilon=20.0, data_norm=1.0, classes=[0, 1, 2], alpha=0.01, method="bolt_on").fit(X, y)
    assert model.coef_.shape == (3, 6)
    assert model.score(X, y) > 0.8
    assert model.privacy_.is_private


def test_epsilon_and_data_norm_have_no_default(two):
    with pytest.raises(ValueError, match="data_norm: must be declared"):
        LogisticRegression(epsilon=1.0).fit(*two)
    with pytest.raises(ValueError, match="epsilon: must be given"):
        LogisticRegression(data_norm=1.0).fit(*two)
    with pytest.raises(ValueError, match="must be a finite number above 0"):
        LogisticRegression(epsilon=1.0, data_norm="large").fit(*two)


def test_classes_taken_from_y_stamp_the_model(two):
    X, y = two
    with pytest.warns(NotPrivateWarning, match="taken from y"):
        model = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, np.where(y == 1, "yes", "no"))
    assert not model.privacy_.is_private
    assert model.privacy_.epsilon == float("inf")
    assert list(model.classes_) == ["no", "yes"]


def test_declared_or_well_known_classes_do_not(two):
    X, y = two
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = LogisticRegression(epsilon=1.0, data_norm=1.0, classes=["no", "yes"]).fit(X, np.where(y == 1, "yes", "no"))
        known = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, y)
        bools = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, y == 1)
    assert named.privacy_.is_private and known.privacy_.is_private and bools.privacy_.is_private
    assert bools.predict(X).dtype == bool


def test_the_well_known_classes_do_not_depend_on_which_of_them_occur(two):
    X, y = two
    model = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, np.ones_like(y))
    assert list(model.classes_) == [0, 1] and model.privacy_.is_private


def test_scores_of_rows_inside_the_norm_are_linear(two):
    X, y = two
    model = LogisticRegression(epsilon=5.0, data_norm=1.0).fit(X, y)
    expected = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), expected[:, 0], rtol=1e-5, atol=1e-6)
    log_odds = model.model_.link_scale * expected[:, 0]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-log_odds)), rtol=1e-4)


def test_probabilities_are_offered_for_the_losses_that_have_them():
    for entry in sotto.catalog()["losses"]:
        expected = entry["probabilities"] != "none"
        for name in [entry["name"], *entry.get("aliases", ())]:
            assert hasattr(SGDClassifier(loss=name), "predict_proba") == expected, name
    assert hasattr(SGDClassifier(loss="log_loss"), "predict_proba")
    assert not hasattr(SGDClassifier(loss="huber"), "predict_proba")
    assert not hasattr(SGDClassifier(loss="no such loss"), "predict_proba")


def test_longer_rows_are_clipped_in_training_and_prediction(two):
    X, y = two
    model = LogisticRegression(epsilon=50.0, data_norm=1.0, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.decision_function(1000 * X), model.decision_function(X), rtol=1e-5, atol=1e-6)


def test_the_sensitivity_is_that_of_the_declared_norm(two):
    X, y = two
    # D / (lambda m) with D = 2 |(x, 1)| = 2 sqrt(2).
    card = LogisticRegression(epsilon=1.0, data_norm=1.0, alpha=0.01, method="bolt_on").privacy_cost(X)
    assert card["l2_sensitivity"] == pytest.approx(2 * np.sqrt(2) / (0.01 * len(X)), rel=1e-3)
    without = LogisticRegression(epsilon=1.0, data_norm=1.0, alpha=0.01, method="bolt_on", fit_intercept=False)
    assert without.privacy_cost(X)["l2_sensitivity"] == pytest.approx(2 / (0.01 * len(X)), rel=1e-3)


def test_a_dry_run_states_what_the_fit_states(two):
    X, y = two
    model = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, alpha=0.01, method="bolt_on")
    planned = model.privacy_cost(X)
    done = model.fit(X, y).privacy_
    for key in ("guarantee", "noise", "events", "theorem", "facts", "l2_sensitivity"):
        assert planned[key] == done[key], key


def test_c_is_the_inverse_strength_of_scikit_learn(two):
    X, _ = two
    by_c = LogisticRegression(epsilon=1.0, data_norm=1.0, C=0.1, method="bolt_on").privacy_cost(X)
    assert float(by_c["parameters"]["lambda"]) == pytest.approx(1 / (0.1 * len(X)))
    with pytest.raises(ValueError, match="given twice"):
        LogisticRegression(epsilon=1.0, data_norm=1.0, C=0.1, alpha=0.1).privacy_cost(X)
    with pytest.raises(ValueError, match="add_remove"):
        LogisticRegression(epsilon=1.0, data_norm=1.0, C=0.1, neighboring_relation="add_remove").privacy_cost(X)


def test_the_noise_cannot_be_seeded(two):
    X, y = two
    fits = [LogisticRegression(epsilon=1.0, data_norm=1.0, random_state=7).fit(X, y).coef_ for _ in range(2)]
    assert not np.array_equal(*fits)


def test_random_state_repeats_the_order(two):
    X, y = two
    options = {"method": "noiseless", "data_norm": 1.0, "epsilon": 1.0, "alpha": 0.01}
    with pytest.warns(NotPrivateWarning):
        a, b, c = (LogisticRegression(random_state=seed, **options).fit(X, y).coef_ for seed in (7, 7, 8))
    assert np.array_equal(a, b) and not np.array_equal(a, c)


def test_bounds_scale_features_and_give_coefficients_of_raw_features():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.uniform(18, 90, 4000), rng.uniform(0, 1e5, 4000)])
    y = (X[:, 0] > 50).astype(int)
    model = LogisticRegression(epsilon=100.0, bounds=([18, 0], [90, 1e5]), data_norm=2.0, alpha=0.001).fit(X, y)
    assert model.score(X, y) > 0.9
    expected = X @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="lower bound must be below"):
        LogisticRegression(epsilon=1.0, bounds=(1, 0)).fit(X, y)


def test_a_pipeline_of_public_preprocessing(two):
    X, y = two
    model = make_pipeline(Scaler((-1.0, 1.0)), LogisticRegression(epsilon=10.0, data_norm=2.5)).fit(X, y)
    assert model.score(X, y) > 0.9
    pandas = pytest.importorskip("pandas")
    jobs = pandas.DataFrame({"job": pandas.Categorical(["a", "b", "c"] * 100, categories=["a", "b", "c", "d"])})
    out = OneHot(categories="dtype").fit_transform(jobs)
    assert out.shape == (300, 4) and out.sum() == 300
    for held in (jobs, jobs.astype(str), jobs.astype(str).astype("category")):
        with pytest.raises(ValueError, match="'job' has none declared; they must not be taken from the rows"):
            OneHot().fit(held)
    with pytest.raises(ValueError, match="'job' has none declared"):
        OneHot(categories="dtype").fit(jobs.astype(str))
    with pytest.raises(ValueError, match="categories: must be"):
        OneHot(categories="job").fit(jobs)
    with pytest.raises(ValueError, match="a list of values for every column"):
        OneHot(categories=["engineer"]).fit(jobs)


def test_pickles_and_clones_predict_the_same(two):
    X, y = two
    model = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert again.privacy_["guarantee"] == model.privacy_["guarantee"]
    assert clone(model).get_params() == model.get_params()


def test_the_model_file_is_that_of_the_command_line(two, tmp_path):
    X, y = two
    model = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, y)
    model.save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    assert content["encoding"]["label"]["classes"] == ["0", "1"]
    loaded = sotto.Model.load(str(tmp_path / "m.json"))
    assert np.array_equal(loaded.weights(), model.model_.weights())


def test_an_unknown_parameter_is_named(two):
    with pytest.raises(ValueError, match="has no parameter nonsense"):
        LogisticRegression(epsilon=1.0, data_norm=1.0, options={"nonsense": 1}).fit(*two)


def test_wrong_input_gives_the_usual_messages(two):
    X, y = two
    model = LogisticRegression(epsilon=1.0, data_norm=1.0)
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.fit(bad, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, np.linspace(0, 1, len(y)))
    with pytest.raises(ValueError, match="is expecting 5 features"):
        model.fit(X, y).predict(X[:, :3])
    with pytest.raises(ValueError, match="not in the declared classes"):
        LogisticRegression(epsilon=1.0, data_norm=1.0, classes=[0, 1]).fit(X, y + 1)


def test_summary_gives_intervals_of_the_noise(two):
    X, y = two
    model = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, alpha=0.01, method="bolt_on").fit(X, y)
    summary = model.summary(0.95)
    low, high = summary.interval()
    stddev = model.privacy_["noise"]["stddev"]
    np.testing.assert_allclose((high - low) / 2, 1.959964 * stddev, rtol=1e-4)
    assert "intercept" in repr(summary) and "<table>" in summary._repr_html_()


@pytest.mark.parametrize("chosen", [{}, {"alpha": 0.01, "method": "objective"}])
def test_released_intervals_count_sampling_too(two, chosen):
    X, y = two
    model = LogisticRegression(epsilon=5.0, delta=1e-6, data_norm=1.0, options={"intervals": 0.5}, **chosen).fit(X, y)
    summary = model.summary(0.9)
    assert summary.covers == "sampling and noise"
    low, high = summary.interval()
    assert (low < summary.coefficients).all() and (summary.coefficients < high).all()


def test_a_norm_found_privately_is_paid_from_epsilon(two):
    X, y = two
    model = LogisticRegression(epsilon=1.0, data_norm="private").fit(3 * X, y)
    assert model.privacy_.is_private and model.privacy_.epsilon == 1.0
    # All rows have norm 3: a smaller candidate, which would clip all of them, has a chance of exp(-198). How much larger it may
    # be is chance at this epsilon: the choice falls off by 1/16 a candidate only.
    assert (model.encoding_.stored_norm**2 - 1) ** 0.5 > 2.9
    assert any(event["event"] == "exponential" for event in model.privacy_["events"])
    with pytest.raises(ValueError, match="dry run"):
        model.privacy_cost(X)


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1.1, 1.7, 3.3, np.float32(0.7), 1])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_norm_and_a_training_cost_no_more_than_was_asked_for(two, epsilon, delta):
    model = LogisticRegression(epsilon=epsilon, delta=delta, data_norm="private", alpha=0.1, method="bolt_on").fit(*two)
    assert 0.999 * float(epsilon) < model.privacy_.epsilon <= float(epsilon)


@pytest.mark.parametrize("epsilon", [np.inf, np.nan, -1.0, 0.0])
def test_no_norm_is_found_for_no_epsilon(two, epsilon):
    with pytest.raises(sotto.InvalidArgument, match="epsilon"):
        LogisticRegression(epsilon=epsilon, data_norm="private").fit(*two)


def test_a_norm_found_within_bounds_is_no_longer_than_they_allow(two):
    X, y = two
    found = LogisticRegression(epsilon=0.01, data_norm="private", bounds=(-1, 1), fit_intercept=False).fit(X, y)
    assert found.encoding_.stored_norm <= 5**0.5


def test_cards_are_shown_as_html(two):
    model = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(*two)
    assert "guarantee" in model.privacy_._repr_html_()
    assert "sotto-card" in model._repr_html_()
    # What notebooks ask for.
    shown = model._repr_mimebundle_(include=None, exclude=None)
    assert shown["text/html"].count('class="sotto-card"') == 1 and "LogisticRegression" in shown["text/plain"]
    assert "sotto-card" not in LogisticRegression()._repr_mimebundle_()["text/html"]


def test_ipython_shows_the_card(two):
    formatters = pytest.importorskip("IPython.core.formatters")
    shown, _ = formatters.DisplayFormatter().format(LogisticRegression(epsilon=1.0, data_norm=1.0).fit(*two))
    assert "sotto-card" in shown["text/html"]


def fitted(model):
    return {name for name in vars(model) if name.endswith("_")}


def test_a_refused_fit_leaves_nothing_of_it_and_nothing_of_the_fit_before(two):
    """A card of one fit beside classes of another would call labels private that were taken from y."""
    pandas = pytest.importorskip("pandas")
    X, y = two
    names = np.array(["HIV-negative", "HIV-positive"])[y]
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, alpha=0.01, method="bolt_on")
    for wrong in ({"epsilon": -1.0}, {"options": {"nonsense": 1}}, {"accountant": 3}, {"data_norm": -1.0}):
        model.fit(pandas.DataFrame(X, columns=list("abcde")), y)
        assert fitted(model) >= {"classes_", "privacy_", "coef_", "feature_names_in_", "n_features_in_"}
        refit = model.set_params(**wrong)
        with pytest.raises(ValueError):
            refit.fit(X[:, :3], names)
        assert fitted(refit) == set(), wrong
        model = LogisticRegression(epsilon=1.0, data_norm=1.0, alpha=0.01, method="bolt_on")


def test_a_warning_made_an_error_leaves_no_model(two):
    X, y = two
    model = LogisticRegression(epsilon=1.0, data_norm=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(NotPrivateWarning):
            model.fit(X, y + 1)
    assert fitted(model) == set()


@pytest.mark.parametrize(
    ("options", "keyword"),
    [
        ({"epsilon": 50}, "epsilon"),
        ({"delta": 0.5}, "delta"),
        ({"relation": "add_remove"}, "neighboring_relation"),
        ({"method": "noiseless"}, "method"),
        ({"lambda": 0.5}, "C or alpha"),
        ({"passes": 3}, "max_iter"),
        ({"batch_rows": 3}, "batch_size"),
        ({"loss": "huber_svm"}, "loss"),
    ],
)
def test_options_are_for_what_has_no_keyword(two, options, keyword):
    """relation by this way would pass the question whether C tells the number of rows."""
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, C=1.0, options=options)
    for ask in (lambda: model.fit(*two), lambda: model.privacy_cost(two[0])):
        with pytest.raises(sotto.InvalidArgument, match=f"options: .*{keyword}"):
            ask()


def test_a_field_without_keyword_is_an_option(two):
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, alpha=0.01, method="bolt_on", options={"averaging": "uniform"})
    assert model.privacy_cost(two[0])["parameters"]["averaging"] == "uniform"
    with pytest.raises(sotto.InvalidArgument, match="options: .*average"):
        SGDClassifier(epsilon=1.0, data_norm=1.0, options={"averaging": "uniform"}).fit(*two)


def test_passes_is_another_name_of_max_iter(two):
    given = {"epsilon": 1.0, "data_norm": 1.0, "alpha": 0.01, "method": "bolt_on"}
    for kind in (LogisticRegression, LinearSVC, SGDClassifier):
        model = clone(kind(passes=3, **given)).fit(*two)
        assert model.privacy_["parameters"]["passes"] == "3" and model.n_iter_ == 3
        with pytest.raises(sotto.InvalidArgument, match="passes is given twice; give max_iter or passes"):
            kind(passes=3, max_iter=3, **given).fit(*two)
    with pytest.raises(sotto.InvalidArgument, match="^passes: method auto chooses it"):
        LogisticRegression(epsilon=1.0, data_norm=1.0, passes=3).fit(*two)


def test_numbers_of_numpy_are_numbers(two):
    X, y = two
    numbers = {"epsilon": np.float64(2.0), "delta": np.float64(1e-6), "alpha": np.logspace(-3, -1, 3)[1], "max_iter": np.int64(3)}
    card = LogisticRegression(data_norm=np.float64(1.0), method="bolt_on", batch_size=np.int32(10), **numbers).privacy_cost(X)
    plain = LogisticRegression(data_norm=1.0, method="bolt_on", batch_size=10, epsilon=2.0, delta=1e-6, alpha=0.01, max_iter=3)
    assert card["parameters"] == plain.privacy_cost(X)["parameters"] and card["guarantee"] == plain.privacy_cost(X)["guarantee"]
    low = LogisticRegression(epsilon=np.float32(0.5), data_norm=1.0, alpha=0.01, method="bolt_on").privacy_cost(X)
    assert low["parameters"]["lambda"] == "0.01" and 0.5 <= low.epsilon < 0.501


def test_auto_samples_where_scans_take_long_and_parts_of_a_pass_count_as_one():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30_000, 300)).astype(np.float32)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = (X[:, 0] > 0).astype(int)
    model = LogisticRegression(epsilon=2.0, delta=1e-9, data_norm=1.0, fit_intercept=False).fit(X, y)
    parameters = model.privacy_["parameters"]
    assert parameters["solver"] == "dpsgd"
    assert float(parameters["passes"]) != int(float(parameters["passes"]))
    assert model.n_iter_ == int(float(parameters["passes"])) + 1
    assert model.privacy_.is_private


@pytest.mark.parametrize("chosen", [{}, {"method": "dpsgd", "delta": 1e-6}, {"method": "bolt_on", "delta": 0.0}])
def test_personal_epsilons_are_promised_by_class(two, chosen):
    X, y = two
    epsilons = np.where(np.arange(len(y)) % 4 == 0, 0.5, 2.0)
    given = {"epsilon": 2.0, "delta": 1e-6, "data_norm": 1.0, "alpha": 0.01} | chosen
    if not chosen:
        del given["alpha"]  # auto chooses it
    card = LogisticRegression(**given).fit(X, y, personal_epsilons=epsilons).privacy_
    classes = card["personal_epsilons"]
    assert [(one["epsilon"], one["positions"]) for one in classes] == [(2.0, len(y) - len(y[::4])), (0.5, len(y[::4]))]
    assert classes[0]["weight"] == 1 and 0.1 < classes[1]["weight"] < 0.5
    assert card["guarantee"]["epsilon"] <= 2.0 and card.is_private
    assert LogisticRegression(**given).fit(X, y, personal_epsilons=None).privacy_.get("personal_epsilons") is None


def test_personal_epsilons_that_promise_nothing_are_refused(two):
    X, y = two
    model = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0)
    for given, told in (
        (np.ones(len(y) - 1), f"are {len(y) - 1}, the data have {len(y)} rows"),
        (np.full(len(y), 2.0), "must not exceed epsilon"),
        (np.zeros(len(y)), "above 0"),
        (np.full(len(y), np.nan), "above 0"),
        (np.ones((len(y), 1)), "one number a row"),
        (["much"] * len(y), "must be numbers"),
        (np.ma.masked_array(np.ones(len(y)), np.arange(len(y)) % 2), "must not be masked"),
    ):
        with pytest.raises(sotto.InvalidArgument, match=f"^personal_epsilons: .*{told}"):
            model.fit(X, y, personal_epsilons=given)
    with pytest.raises(sotto.Unsupported, match="objective has no proof"):
        clone(model).set_params(method="objective", alpha=0.01).fit(X, y, personal_epsilons=np.ones(len(y)))
    with pytest.raises(sotto.InvalidArgument, match="^data_norm: must be a number with personal_epsilons"):
        clone(model).set_params(data_norm="private").fit(X, y, personal_epsilons=np.ones(len(y)))
