"""One job: the program trains, the released weights are measured on the rows.

Only the public interface is used: `sotto train`, `sotto tune` and the model file they write. Objective and accuracy
are computed here from the weights, since one run is measured on rows of which it trained on the first few only."""
import json
import os
import subprocess
import tempfile

import numpy as np

from stamp import Wrong, check_stamp

REFUSALS = ("invalid argument", "unsupported", "budget exceeded")


def flags_of(settings):
    words = []
    for name, value in settings.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    return words


def call(program, words):
    """The program's JSON answer; a refusal is an answer too."""
    return timed_call(program, words)[0]


def timed_call(program, words):
    """The answer, and the processor seconds it took: those do not depend on what else the machine does."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([program, *words, "--json"], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said, complaint = (_text_of(file) for file in (out, err))
    text = said if child.returncode == 0 else (complaint.strip() or said)
    try:
        answer = json.loads(text[text.index("{"):])
    except ValueError as error:
        raise Wrong(f"{' '.join(words)}: {text[-400:]}") from error
    if child.returncode != 0 and answer.get("error", {}).get("kind") not in REFUSALS:
        raise Wrong(f"{' '.join(words)}: {text[-400:]}")
    return answer, used.ru_utime + used.ru_stime


def _text_of(file):
    file.seek(0)
    return file.read().decode(errors="replace")


def losses(margins, loss, width):
    if loss == "huber_svm":
        corner = (1 + width - margins) ** 2 / (4 * width)
        return np.where(margins > 1 + width, 0, np.where(margins < 1 - width, 1 - margins, corner))
    if loss == "hinge":
        return np.maximum(0, 1 - margins)
    return np.logaddexp(0, -margins)


def auc(scores, labels):
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    for value, count in zip(*np.unique(scores, return_counts=True)):
        if count > 1:
            ranks[scores == value] = ranks[scores == value].mean()
    positive = labels == 1
    hits = positive.sum()
    return float((ranks[positive].sum() - hits * (hits + 1) / 2) / max(1, hits * (len(labels) - hits)))


def objective(rows, labels, weights, spec):
    """Mean loss and regulariser; rows as matrix of scores where there is one weight vector a class."""
    scores = rows.astype(np.float64) @ weights.T
    if weights.ndim == 1:
        data = losses(np.where(labels > 0, scores, -scores), spec["loss"], spec["width"]).mean()
    else:
        top = scores.max(axis=1)
        data = (np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top - scores[np.arange(len(labels)), labels]).mean()
    return float(data + spec["lambda"] / 2 * (weights ** 2).sum())


def cross_entropy(rows, labels, weights, strength):
    """Wessels18's formula (4), -t log s - (1 - t) log(1 - s), by the logs of s and 1 - s."""
    scores = rows.astype(np.float64) @ weights
    log_s, log_rest = -np.logaddexp(0, -scores), -np.logaddexp(0, scores)
    return float(-np.where(labels > 0, log_s, log_rest).mean() + strength / 2 * (weights ** 2).sum())


def accuracy(rows, labels, weights):
    scores = rows.astype(np.float64) @ weights.T
    predicted = (scores > 0).astype(np.uint8) if weights.ndim == 1 else scores.argmax(axis=1)
    return float((predicted == labels).mean())


class Trainer:
    def __init__(self, program, datasets, database=None):
        self.program, self.datasets, self.database = program, datasets, database

    def __call__(self, what):
        data = self.datasets.get(what["data"])
        if what["settings"].get("engine") == "postgres":
            return self.database.seconds(what, data)
        settings = dict(what["settings"])
        times = 3 if settings.pop("timed", False) else 1
        results = [self._once(what, data, dict(settings)) for _ in range(times)]
        return min(results, key=lambda r: r.get("seconds", 0))

    def _once(self, what, data, settings):
        count = settings.pop("one_vs_rest", 0)
        if "epsilon_per_pass" in settings:
            settings["epsilon"] = float(settings.pop("epsilon_per_pass")) * int(settings["passes"])
        words = self._words(what, data, settings)
        if not count:
            labels = [] if data.classes == 2 else ["--classes", ",".join(str(k) for k in range(data.classes))]
            answers = [self._train(words + labels, settings, what["seed"])]
        else:
            share = {name: float(settings[name]) / count for name in ("epsilon", "delta") if name in settings}
            settings.update(share)
            others = ["--label-negative", "*"]
            answers = [self._train(words + ["--label-positive", str(k)] + others, settings, what["seed"] * 64 + k)
                       for k in range(count)]
        return self._measure(what, data, settings, answers)

    def _words(self, what, data, settings):
        if settings.get("engine") == "out_of_core":
            return ["--data", self.datasets.packed(what["data"], self.program), "--method", what["method"]]
        stem = self.datasets.first(what["data"], settings.pop("rows", 0))
        norm = data.norm if data.norm > 1.0 + 1e-3 else 1.0
        if settings.pop("loose_norm", False):
            settings["epsilon"] = float(settings["epsilon"]) * norm
        return ["--data", stem + ".idx2", "--labels-file", stem + ".labels.idx1", "--data-norm", repr(norm),
                "--intercept", "0", "--method", what["method"]]

    def _train(self, words, settings, seed):
        verb = "tune" if "grid" in settings else "train"
        with tempfile.TemporaryDirectory(prefix="sotto-") as folder:
            model = os.path.join(folder, "model.json")
            words = [verb, *words, *flags_of(settings), "--no-check", "--noise-seed", str(1 + seed), "--out", model]
            if verb == "train":
                words += ["--order-seed", str(1 + seed)]
            card, seconds = timed_call(self.program, words)
            if "error" in card:
                return dict(error=card["error"].get("message", "refused"))
            with open(model, encoding="utf-8") as file:
                weights = np.array(json.load(file)["weights"])
        return dict(card=card, weights=weights, seconds=seconds)

    def _measure(self, what, data, settings, answers):
        for answer in answers:
            if "error" in answer:
                return dict(error=answer["error"])
        valid = all([check_stamp(a["card"]) for a in answers])
        cards = [a["card"] for a in answers]
        weights = answers[0]["weights"] if len(answers) == 1 else np.vstack([a["weights"] for a in answers])
        if weights.ndim == 1 and data.classes > 2:
            weights = weights.reshape(data.classes, -1)
        used = {**settings, **cards[0].get("parameters", {})}
        strength = what["measure_lambda"]
        spec = dict(loss=used.get("loss", "logistic"), width=float(used.get("huber_width", 0.1)),
                    **{"lambda": float(used.get("lambda", 0) if strength is None else strength)})
        result = dict(accuracy=accuracy(data.test_rows, data.test_labels, weights), valid=valid,
                      seconds=sum(a["seconds"] for a in answers), noise=(cards[0].get("noise") or {}).get("stddev"),
                      claimed=cards[0].get("claimed"), length=float(np.linalg.norm(weights)))
        if len(answers) == 1:
            result["objective"] = objective(data.rows, data.labels, weights, spec)
            if weights.ndim == 1 and spec["loss"] == "logistic":
                result["cross_entropy"] = cross_entropy(data.rows, data.labels, weights, spec["lambda"])
        if weights.ndim == 1:
            result["auc"] = auc(data.test_rows.astype(np.float64) @ weights, data.test_labels)
        return result
