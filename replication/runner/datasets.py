"""The data sets of the papers, scaled by public constants, as float32 IDX files.

A name is a base and transforms, joined by dots: "mnist1.gauss15" is digit 1 against the rest, projected to 15
dimensions and clipped to norm 1 again.
  unit         clip rows to norm 1            norm       scale rows to norm 1
  gaussD       random projection N(0, 1/D), then clip to norm 1; looseD the same without the clip
  colsD        D columns drawn once, by a fixed coin
  foldKofN     the K-th of N parts is the test set
  const        a constant column more
"""
import json
import os
import re
import struct
import subprocess
import threading

import numpy as np

import bases
import public_constants as public
from cache import digest, file_digest, write_whole

RECIPE = 3  # raise it when a set is made differently: results of the old one are then not found


class DataSet:
    """Rows to train and to test on: files the program reads, loaded here when they are first looked at."""

    PARTS = ("train.idx2", "train.labels.idx1", "test.idx2", "test.labels.idx1")

    def __init__(self, path_of, meta):
        self.path_of, self.meta, self.stem = path_of, meta, path_of("train")
        self.digest, self.norm, self.classes = meta["digest"], meta["norm"], meta["classes"]
        self.lock, self.arrays = threading.Lock(), {}

    def _array(self, part):
        with self.lock:
            if part not in self.arrays:
                array = _read(self.path_of(part))
                self.arrays[part] = array.astype(np.float32) if array.ndim == 2 else array
            return self.arrays[part]

    rows = property(lambda self: self._array("train.idx2"))
    labels = property(lambda self: self._array("train.labels.idx1"))
    test_rows = property(lambda self: self._array("test.idx2"))
    test_labels = property(lambda self: self._array("test.labels.idx1"))


def _idx(array):
    kind = {">f4": 0x0D, "|u1": 0x08}[array.dtype.str]
    return struct.pack(">BBBB", 0, 0, kind, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def _write(path, array):
    write_whole(path, _idx(np.ascontiguousarray(array)))


def _read(path):
    with open(path, "rb") as file:
        head = file.read(4)
        shape = struct.unpack(f">{head[3]}I", file.read(4 * head[3]))
        kind = {0x0D: ">f4", 0x08: "u1"}[head[2]]
        return np.frombuffer(file.read(), dtype=kind).reshape(shape)


def clip(rows):
    norm = np.linalg.norm(rows.astype(np.float64), axis=1)
    # a hair below 1, so that rounding to 32 bits keeps the norm
    return (rows * ((1 - 1e-6) / np.maximum(norm, 1))[:, None]).astype(np.float32)


def _to_unit(rows):
    norm = np.linalg.norm(rows.astype(np.float64), axis=1)
    return (rows * ((1 - 1e-6) / np.where(norm > 0, norm, 1))[:, None]).astype(np.float32)


def _transform(word, parts):
    rows, labels, test_rows, test_labels = parts
    match = re.fullmatch(r"([a-z]+)(\d*)(?:of(\d+))?", word)
    kind, count = match.group(1), int(match.group(2) or 0)
    if kind == "unit":
        return clip(rows), labels, clip(test_rows), test_labels
    if kind == "norm":
        return _to_unit(rows), labels, _to_unit(test_rows), test_labels
    if kind == "const":
        one = lambda x: np.hstack([x, np.ones((len(x), 1), np.float32)])
        return one(rows), labels, one(test_rows), test_labels
    coin = np.random.default_rng(1713 + count)
    if kind in ("gauss", "loose"):
        matrix = coin.normal(scale=count ** -0.5, size=(rows.shape[1], count))
        keep = clip if kind == "gauss" else lambda x: x.astype(np.float32)
        return keep(rows @ matrix), labels, keep(test_rows @ matrix), test_labels
    if kind == "cols":
        chosen = np.sort(coin.choice(rows.shape[1], count, replace=False))
        return rows[:, chosen], labels, test_rows[:, chosen], test_labels
    if kind == "fold":
        every, answers = np.vstack([rows, test_rows]), np.concatenate([labels, test_labels])
        order = np.random.default_rng(5).permutation(len(answers))
        held = np.zeros(len(answers), bool)
        held[order[count::int(match.group(3))]] = True
        return every[~held], answers[~held], every[held], answers[held]
    raise ValueError(f"transform {word} is not known")


class DataSets:
    """Makes a set when it is first asked for; the files stay, and say what they were made from."""

    def __init__(self, folder, source, program):
        self.folder, self.source, self.program = folder, source, program
        self.loaded, self.lock = {}, threading.Lock()

    def path(self, name, part):
        return os.path.join(self.folder, f"{name}.{part}")

    def get(self, name):
        with self.lock:
            if name not in self.loaded:
                self.loaded[name] = self._open(name) or self._make(name)
            return self.loaded[name]

    def _open(self, name):
        """None unless the files are there as they were written; the description is written last."""
        try:
            with open(self.path(name, "json"), encoding="utf-8") as file:
                meta = json.load(file)
            whole = meta["recipe"] == RECIPE and all(
                os.path.getsize(self.path(name, part)) == size for part, size in meta["sizes"].items())
        except (OSError, ValueError, KeyError):
            return None
        return DataSet(lambda part: self.path(name, part), meta) if whole else None

    def _make(self, name):
        base, *words = name.split(".")
        parts = bases.load(base, self.source, self.program, self.folder)
        for word in words:
            parts = _transform(word, parts)
        rows, labels, test_rows, test_labels = parts
        for part, x, y in (("train", rows, labels), ("test", test_rows, test_labels)):
            _write(self.path(name, part + ".idx2"), x.astype(">f4"))
            _write(self.path(name, part + ".labels.idx1"), y.astype("u1"))
        norm = float(np.linalg.norm(rows.astype(np.float64), axis=1).max()) * (1 + 1e-6)
        if not any(word.startswith(("loose", "unit", "norm", "gauss")) for word in words):
            norm = public.NORMS.get(base, norm)  # declared, not looked up in the rows
        files = [file_digest(self.path(name, part)) for part in DataSet.PARTS]
        sizes = {part: os.path.getsize(self.path(name, part)) for part in DataSet.PARTS}
        meta = dict(recipe=RECIPE, sizes=sizes, rows=len(labels), test_rows=len(test_labels), features=rows.shape[1],
                    norm=max(norm, 1.0), classes=int(max(labels.max(), test_labels.max())) + 1, digest=digest(files))
        write_whole(self.path(name, "json"), json.dumps(meta))
        return self._open(name)

    def first(self, name, count):
        """The stem of a file of the first rows."""
        whole = self.get(name)
        if not count or count >= whole.meta["rows"]:
            return whole.stem
        stem = f"{whole.stem}.first{count}"
        with self.lock:
            if not os.path.exists(stem + ".labels.idx1"):
                _write(stem + ".idx2", whole.rows[:count].astype(">f4"))
                _write(stem + ".labels.idx1", whole.labels[:count])
        return stem

    def packed(self, name, program):
        """A block file of the rows, for training larger than memory."""
        whole = self.get(name)
        path = whole.stem + ".blocks"
        with self.lock:
            if not os.path.exists(path):
                subprocess.run([program, "data", "pack", "--no-check", "--data", whole.stem + ".idx2", "--labels-file",
                                whole.stem + ".labels.idx1", "--data-norm", "1", "--intercept", "0", "--out",
                                path + ".part"], check=True, stdout=subprocess.DEVNULL)
                os.replace(path + ".part", path)
        return path
