"""ONNX and PMML files of a fitted estimator, with the privacy card in their metadata.

Both do what ``predict`` does: scale by the declared bounds, append the constant feature, clip to the declared norm.
"""

from __future__ import annotations

import json
import os
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._parameters import probabilities_of
from .errors import Unsupported

_PMML = "http://www.dmg.org/PMML-4_4"


def statement(estimator: Any) -> dict[str, str]:
    """What is written about privacy into the metadata of a file."""
    card = estimator.privacy_
    return {
        "sotto_private": "true" if card.is_private else "false",
        "sotto_guarantee": json.dumps(card["guarantee"]),
        "sotto_relation": str(card["relation"]),
        "sotto_unit": str(card["unit"]),
        "sotto_privacy_card": json.dumps(dict(card)),
    }


def to_onnx(estimator: Any, path: str | os.PathLike[str] | None = None) -> Any:
    """An ONNX model with outputs ``label``, ``scores`` and, where the loss gives them, ``probabilities``.

    Parameters
    ----------
    estimator : fitted estimator
        Its card goes into the metadata.
    path : str or path, optional
        Where the file is written too.

    Returns
    -------
    onnx.ModelProto
    """
    check_is_fitted(estimator, "model_")
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    encoding = _of_numbers(estimator)
    low, high = map(np.array, encoding.bounds)
    weights = np.asarray(estimator.model_.weights(), dtype=np.float64)
    constants: list[Any] = []

    def constant(name: str, values: Any) -> str:
        constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    nodes = [helper.make_node("Cast", ["X"], ["wide"], to=TensorProto.DOUBLE)]
    row = "wide"
    if len(low):
        nodes += [
            helper.make_node("Max", [row, constant("lower", low)], ["above"]),
            helper.make_node("Min", ["above", constant("upper", high)], ["inside"]),
            helper.make_node("Sub", ["inside", "lower"], ["shifted"]),
            helper.make_node("Div", ["shifted", constant("width", encoding.linear[1])], ["unit"]),
        ]
        row = "unit"
    # |(x, c)|: the constant feature counts. factor = min(1, bound / norm).
    nodes += [
        helper.make_node("Mul", [row, row], ["squares"]),
        helper.make_node("ReduceSum", ["squares", constant("axis", np.array([1], dtype=np.int64))], ["sum"], keepdims=1),
        helper.make_node("Add", ["sum", constant("constant_square", np.array([[encoding.intercept**2 + 1e-300]]))], ["total"]),
        helper.make_node("Sqrt", ["total"], ["norm"]),
        helper.make_node("Div", [constant("bound", np.array([[encoding.stored_norm]])), "norm"], ["ratio"]),
        helper.make_node("Min", ["ratio", constant("one", np.array([[1.0]]))], ["factor"]),
        helper.make_node("MatMul", [row, constant("weights", weights[:, : encoding.features].T.copy())], ["linear"]),
    ]
    shift = weights[:, -1] * encoding.intercept if encoding.intercept else np.zeros(len(weights))
    nodes += [
        helper.make_node("Add", ["linear", constant("shift", shift[None, :])], ["unclipped"]),
        helper.make_node("Mul", ["unclipped", "factor"], ["scores"]),
    ]
    outputs = [helper.make_tensor_value_info("scores", TensorProto.DOUBLE, [None, len(weights)])]
    nodes += _onnx_probabilities(estimator, len(weights), constant, outputs)
    nodes += _onnx_label(estimator, len(weights), constant, outputs)
    graph = helper.make_graph(
        nodes,
        "sotto",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, encoding.features])],
        outputs,
        constants,
    )
    model = helper.make_model(graph, producer_name="sotto", opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    helper.set_model_props(model, statement(estimator))
    onnx.checker.check_model(model)
    if path is not None:
        _core.write_file(os.fspath(path), model.SerializeToString())
    return model


def _of_numbers(estimator: Any) -> Any:
    """The encoding of a model whose columns are all numbers on a linear scale, with a range for every one or for none."""
    encoding = estimator.encoding_
    columns = [c for c in json.loads(encoding.json())["columns"] if c["kind"] != "ignore"]
    ranged = ["min" in column for column in columns]
    plain = all(c["kind"] == "numeric" and c.get("scale") == "linear" and not c.get("missing") for c in columns)
    if not plain or any(ranged) != all(ranged):
        raise Unsupported("columns: an exported model takes numbers on linear scales; predict by sotto instead")
    return encoding


def _onnx_probabilities(estimator: Any, count: int, constant: Any, outputs: list[Any]) -> list[Any]:
    from onnx import TensorProto, helper

    if not estimator.model_.gives_probabilities():
        return []
    outputs.append(helper.make_tensor_value_info("probabilities", TensorProto.DOUBLE, [None, len(estimator.classes_)]))
    if probabilities_of(estimator.model_.loss) == "shares":
        return [helper.make_node("Softmax", ["scores"], ["probabilities"], axis=1)]
    if count > 1:
        return [
            helper.make_node("Sigmoid", ["scores"], ["each"]),
            helper.make_node("ReduceSum", ["each", "axis"], ["all"], keepdims=1),
            helper.make_node("Div", ["each", "all"], ["probabilities"]),
        ]
    scale = np.array([[estimator.model_.link_scale]])
    return [
        helper.make_node("Mul", ["scores", constant("link_scale", scale)], ["log_odds"]),
        helper.make_node("Neg", ["log_odds"], ["opposite"]),
        helper.make_node("Concat", ["opposite", "log_odds"], ["both"], axis=1),
        helper.make_node("Sigmoid", ["both"], ["probabilities"]),
    ]


def _onnx_label(estimator: Any, count: int, constant: Any, outputs: list[Any]) -> list[Any]:
    from onnx import TensorProto, helper

    classes = estimator.classes_
    numbers = classes.dtype.kind in "iub"
    kind = TensorProto.INT64 if numbers else TensorProto.STRING
    outputs.insert(0, helper.make_tensor_value_info("label", kind, [None]))
    values = classes.astype(np.int64) if numbers else np.array([str(c) for c in classes], dtype=object)
    table = constant("classes", values)
    if count > 1:
        place = [helper.make_node("ArgMax", ["scores"], ["place"], axis=1, keepdims=0)]
    else:
        place = [
            helper.make_node("Greater", ["scores", constant("zero", np.array([[0.0]]))], ["positive"]),
            helper.make_node("Cast", ["positive"], ["column"], to=TensorProto.INT64),
            helper.make_node("Squeeze", ["column", "axis"], ["place"]),
        ]
    return [*place, helper.make_node("Gather", [table, "place"], ["label"], axis=0)]


def to_pmml(estimator: Any, path: str | os.PathLike[str] | None = None) -> str:
    """A PMML 4.4 regression model, the statement of privacy in extensions of its header.

    Parameters
    ----------
    estimator : fitted estimator
    path : str or path, optional
        Where the file is written too.

    Returns
    -------
    str
        The text of the file.
    """
    check_is_fitted(estimator, "model_")
    kind = probabilities_of(estimator.model_.loss)
    if kind == "none" or (kind == "sigmoid" and len(estimator.classes_) != 2):
        raise Unsupported("PMML: only models of two classes with probabilities and softmax models have a form there")
    _of_numbers(estimator)
    Xml.register_namespace("", _PMML)
    root = Xml.Element(f"{{{_PMML}}}PMML", version="4.4")
    how = "trained under differential privacy" if estimator.privacy_.is_private else "NOT PRIVATE"
    header = _add(root, "Header", description=f"linear classifier, {how}")
    for name, value in statement(estimator).items():
        _add(header, "Extension", name=name, value=value)
    _add(header, "Application", name="sotto")
    _pmml_fields(root, estimator)
    _pmml_model(root, estimator)
    text = Xml.tostring(root, encoding="unicode", xml_declaration=True)
    if path is not None:
        _core.write_file(os.fspath(path), text.encode("utf-8"))
    return text


def _add(parent: Any, tag: str, **attributes: str) -> Any:
    return Xml.SubElement(parent, f"{{{_PMML}}}{tag}", attributes)


def _apply(parent: Any, function: str, *arguments: Any) -> Any:
    node = _add(parent, "Apply", function=function)
    for argument in arguments:
        if callable(argument):
            argument(node)
        elif isinstance(argument, str):
            _add(node, "FieldRef", field=argument)
        else:
            _add(node, "Constant", dataType="double").text = repr(float(argument))
    return node


class _Derived:
    """Names for what is computed from the features, none of which a feature or the label has."""

    def __init__(self, encoding: Any) -> None:
        taken = {*encoding.names, encoding.label}
        end = ""
        while True:
            self.unit = [f"{name}.unit{end}" for name in encoding.names]
            self.stored = [f"{name}.stored{end}" for name in encoding.names]
            self.factor = f"sotto.factor{end}"
            if taken.isdisjoint([*self.unit, *self.stored, self.factor]):
                return
            end += "_"


def _pmml_fields(root: Any, estimator: Any) -> None:
    encoding = estimator.encoding_
    names = _Derived(encoding)
    dictionary = _add(root, "DataDictionary")
    for name in encoding.names:
        _add(dictionary, "DataField", name=name, optype="continuous", dataType="double")
    target = _add(dictionary, "DataField", name=estimator.encoding_.label, optype="categorical", dataType="string")
    for text in encoding.classes:
        _add(target, "Value", value=text)
    derived = _add(root, "TransformationDictionary")
    widths = encoding.linear[1]
    lows, highs = encoding.bounds
    for i, name in enumerate(encoding.names):
        field = _add(derived, "DerivedField", name=names.unit[i], optype="continuous", dataType="double")
        if not lows:
            _add(field, "FieldRef", field=name)
            continue
        low, high = lows[i], highs[i]

        def inside(node: Any, name: str = name, low: float = low, high: float = high) -> None:
            _apply(node, "min", lambda n: _apply(n, "max", name, low), high)

        def shifted(node: Any, low: float = low, inside: Any = inside) -> None:
            _apply(node, "-", inside, low)

        _apply(field, "/", shifted, float(widths[i]))
    factor = _add(derived, "DerivedField", name=names.factor, optype="continuous", dataType="double")

    def square(name: str) -> Any:
        return lambda node: _apply(node, "*", name, name)

    def norm(node: Any) -> None:
        squares = [square(unit) for unit in names.unit]
        _apply(node, "sqrt", lambda n: _apply(n, "sum", encoding.intercept**2 + 1e-300, *squares))

    _apply(factor, "min", 1.0, lambda node: _apply(node, "/", encoding.stored_norm, norm))
    for unit, stored in zip(names.unit, names.stored):
        field = _add(derived, "DerivedField", name=stored, optype="continuous", dataType="double")
        _apply(field, "*", unit, names.factor)


def _pmml_model(root: Any, estimator: Any) -> None:
    encoding = estimator.encoding_
    # A table computes the log odds themselves, so that it holds weights times the link; other models have none.
    weights = np.asarray(estimator.model_.weights(), dtype=np.float64) * estimator.model_.link_scale
    names = _Derived(encoding)
    binary = len(weights) == 1
    model = _add(
        root,
        "RegressionModel",
        functionName="classification",
        normalizationMethod="logit" if binary else "softmax",
        targetFieldName=estimator.encoding_.label,
    )
    schema = _add(model, "MiningSchema")
    for name in encoding.names:
        _add(schema, "MiningField", name=name)
    _add(schema, "MiningField", name=estimator.encoding_.label, usageType="target")
    targets = encoding.classes[::-1] if binary else encoding.classes
    for k, text in enumerate(targets):
        table = _add(model, "RegressionTable", intercept="0", targetCategory=text)
        if binary and k == 1:
            continue
        for j, stored in enumerate(names.stored):
            _add(table, "NumericPredictor", name=stored, coefficient=repr(float(weights[k, j])))
        if encoding.intercept:
            constant = float(weights[k, -1] * encoding.intercept)
            _add(table, "NumericPredictor", name=names.factor, coefficient=repr(constant))
