from __future__ import annotations

import json
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import sphere
from sklearn.exceptions import NotFittedError
from sotto import LinearSVC, LogisticRegression, NotPrivateWarning, SGDClassifier
from sotto.export import to_onnx, to_pmml


def models():
    X, y = sphere(3000, 4)
    X3, y3 = sphere(3000, 4, classes=3)
    yield X, LogisticRegression(epsilon=5.0, data_norm=1.0).fit(X, y)
    yield X, LogisticRegression(epsilon=5.0, bounds=(-1, 1)).fit(X, y)
    whitened = LogisticRegression(epsilon=2.0, delta=1e-6, data_norm=1.0).fit(X, y)
    assert whitened.model_.link_scale < 1
    yield X, whitened
    yield X, LogisticRegression(epsilon=5.0, data_norm=1.0, fit_intercept=False, classes=["a", "b"]).fit(X, np.array(["a", "b"])[y])
    yield X3, LogisticRegression(epsilon=50.0, data_norm=1.0, classes=[0, 1, 2]).fit(X3, y3)
    yield X3, SGDClassifier(epsilon=50.0, data_norm=1.0, classes=[0, 1, 2]).fit(X3, y3)
    yield X3, LinearSVC(epsilon=50.0, data_norm=1.0, classes=[0, 1, 2], alpha=0.01).fit(X3, y3)


def test_onnx_predicts_as_the_estimator_does():
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    for X, model in models():
        made = to_onnx(model)
        session = runtime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
        for rows in (X[:200], 50 * X[:200]):  # the second are longer than the declared norm
            rows = rows.astype(np.float32)
            names = [output.name for output in session.get_outputs()]
            found = dict(zip(names, session.run(None, {"X": rows})))
            scores = model.decision_function(rows)
            np.testing.assert_allclose(found["scores"].squeeze(), scores, rtol=1e-4, atol=1e-5)
            sure = np.abs(scores).min(axis=1) > 1e-4 if scores.ndim > 1 else np.abs(scores) > 1e-4
            assert (found["label"][sure] == model.predict(rows)[sure].astype(found["label"].dtype)).all()
            if "probabilities" in found:
                np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), rtol=1e-4, atol=1e-5)
        said = session.get_modelmeta().custom_metadata_map
        assert said["sotto_private"] == "true"
        assert json.loads(said["sotto_privacy_card"])["guarantee"] == model.privacy_["guarantee"]


def test_pmml_predicts_as_the_estimator_does():
    for X, model in models():
        if model.model_.loss not in ("logistic", "softmax") or (model.model_.loss == "logistic" and len(model.coef_) > 1):
            with pytest.raises(ValueError, match="PMML"):
                to_pmml(model)
            continue
        text = to_pmml(model)
        for rows in (X[:50], 50 * X[:50]):
            np.testing.assert_allclose(read_pmml(text, rows), model.predict_proba(rows), rtol=1e-4, atol=1e-5)
        root = ElementTree.fromstring(text)
        extensions = {node.get("name"): node.get("value") for node in root.iter("{http://www.dmg.org/PMML-4_4}Extension")}
        assert json.loads(extensions["sotto_guarantee"]) == model.privacy_["guarantee"]


# A reader of the part of PMML 4.4 that is used, written from the standard and not from the writer.

NS = "{http://www.dmg.org/PMML-4_4}"


def read_pmml(text, rows):
    root = ElementTree.fromstring(text)
    fields = [f.get("name") for f in root.find(f"{NS}DataDictionary") if f.get("optype") == "continuous"]
    values = {name: rows[:, i].astype(float) for i, name in enumerate(fields)}
    for derived in root.find(f"{NS}TransformationDictionary"):
        values[derived.get("name")] = evaluate(derived[0], values) * np.ones(len(rows))
    model = root.find(f"{NS}RegressionModel")
    tables = {}
    for table in model.findall(f"{NS}RegressionTable"):
        score = np.full(len(rows), float(table.get("intercept")))
        for predictor in table.findall(f"{NS}NumericPredictor"):
            score = score + float(predictor.get("coefficient")) * values[predictor.get("name")]
        tables[table.get("targetCategory")] = score
    order = [v.get("value") for f in root.find(f"{NS}DataDictionary") if f.get("name") == "y" for v in f]
    if model.get("normalizationMethod") == "softmax":
        exps = {k: np.exp(v) for k, v in tables.items()}
        total = sum(exps.values())
        return np.stack([exps[k] / total for k in order], axis=1)
    # logit: the first table's category has the sigmoid of its score, the last what is left.
    first = next(iter(tables))
    p = 1 / (1 + np.exp(-tables[first]))
    return np.stack([p if k == first else 1 - p for k in order], axis=1)


def evaluate(node, values):
    tag = node.tag.removeprefix(NS)
    if tag == "FieldRef":
        return values[node.get("field")]
    if tag == "Constant":
        return float(node.text)
    arguments = [evaluate(child, values) for child in node]
    return {
        "+": lambda a: a[0] + a[1], "-": lambda a: a[0] - a[1], "*": lambda a: a[0] * a[1], "/": lambda a: a[0] / a[1],
        "min": lambda a: np.minimum.reduce(np.broadcast_arrays(*a)), "max": lambda a: np.maximum.reduce(np.broadcast_arrays(*a)),
        "sum": lambda a: sum(a), "sqrt": lambda a: np.sqrt(a[0]),
    }[node.get("function")](arguments)


def test_pmml_says_what_the_card_says_and_names_no_field_twice():
    pandas = pytest.importorskip("pandas")
    X, y = sphere(300, 2)
    frame = pandas.DataFrame(X, columns=["y", "class"])
    private = LogisticRegression(epsilon=5.0, data_norm=1.0).fit(frame, y)
    with pytest.warns(NotPrivateWarning):
        stamped = LogisticRegression(epsilon=5.0, data_norm=1.0).fit(frame, y + 1)
    for model, said in ((private, "trained under differential privacy"), (stamped, "NOT PRIVATE")):
        root = ElementTree.fromstring(to_pmml(model))
        assert said in root.find(f"{NS}Header").get("description")
        names = [field.get("name") for field in root.find(f"{NS}DataDictionary")]
        assert len(set(names)) == len(names) == 3
        target = [field.get("name") for field in root.iter(f"{NS}MiningField") if field.get("usageType") == "target"]
        assert target == [root.find(f"{NS}RegressionModel").get("targetFieldName")] and target[0] not in ("y", "class")
    assert "differential privacy" not in ElementTree.fromstring(to_pmml(stamped)).find(f"{NS}Header").get("description")


def test_no_derived_field_has_the_name_of_a_feature():
    pandas = pytest.importorskip("pandas")
    X, y = sphere(1000, 5)
    frame = pandas.DataFrame(X, columns=["a", "a.unit", "a.stored", "sotto.factor", "sotto.factor_"])
    for declared in ({"data_norm": 1.0}, {"bounds": (-1, 1)}):
        model = LogisticRegression(epsilon=5.0, **declared).fit(frame, y)
        text = to_pmml(model)
        root = ElementTree.fromstring(text)
        names = [field.get("name") for tag in ("DataField", "DerivedField") for field in root.iter(NS + tag)]
        assert len(set(names)) == len(names)
        np.testing.assert_allclose(read_pmml(text, 50 * X), model.predict_proba(50 * frame), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("write", [to_onnx, to_pmml])
def test_what_is_not_fitted_is_not_written(write):
    with pytest.raises(NotFittedError):
        write(LogisticRegression(epsilon=1.0, data_norm=1.0))


def test_the_modules_are_there_without_being_imported():
    code = "import sys, sotto; assert 'matplotlib' not in sys.modules; sotto.plot.profile, sotto.export.to_onnx; assert 'plot' in dir(sotto)"
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


@pytest.mark.skipif(shutil.which("java") is None, reason="the reader runs on Java")
@pytest.mark.parametrize("declared", [{"data_norm": 0.5}, {"bounds": (-0.5, 0.5)}, {"data_norm": 1.0, "fit_intercept": False}])
@pytest.mark.parametrize("classes", [2, 3])
def test_pmml_is_read_by_another_program_as_it_is_meant(declared, classes, tmp_path):
    pypmml = pytest.importorskip("pypmml")
    X, y = sphere(600, 3, classes=classes)
    model = LogisticRegression(epsilon=50.0, classes=list(range(classes)), **declared).fit(X, y)
    to_pmml(model, tmp_path / "m.pmml")
    read = pypmml.Model.load(str(tmp_path / "m.pmml"))
    said = [read.predict(dict(zip(model.encoding_.names, map(float, row)))) for row in X[:20]]
    assert [one["predicted_y"] for one in said] == model.predict(X[:20]).astype(str).tolist()
    shares = [[one[f"probability_{k}"] for k in range(classes)] for one in said]
    assert np.allclose(shares, model.predict_proba(X[:20]), atol=1e-6)


def test_a_file_is_written_whole_and_no_other_is_touched(two, tmp_path):
    pytest.importorskip("onnx")
    model = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(*two)
    for name, write in (("m.json", model.save), ("m.onnx", lambda path: to_onnx(model, path)), ("m.pmml", lambda path: to_pmml(model, path))):
        rows = tmp_path / "rows.csv"
        rows.write_text("rows")
        (tmp_path / (name + ".part")).symlink_to(rows)
        target = tmp_path / "models" / name
        target.parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(target)
        write(tmp_path / name)
        assert rows.read_text() == "rows" and (tmp_path / name).is_symlink() and target.stat().st_size > 100
        target.chmod(0o600)
        write(str(tmp_path / name))
        assert target.stat().st_mode & 0o777 == 0o600
        write("/dev/null")
        with pytest.raises(OSError, match="folder is not there"):
            write(tmp_path / "none" / name)
