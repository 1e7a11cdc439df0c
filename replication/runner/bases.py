"""Readers of the raw data sets: (rows, labels, test rows, test labels), shuffled by a fixed coin where a set has no
order of its own. Rows are in [0, 1] a column, with a constant column where the name says so; the norm is a transform's
business."""
import csv
import functools
import gzip
import os
import subprocess

import numpy as np

import public_constants as public


class NotHere(Exception):
    """The files of a set are not at hand."""


def _open(source, *path):
    whole = os.path.join(source, *path)
    if not os.path.exists(whole):
        raise NotHere(f"{'/'.join(path)} is not in {source}; see 'sotto data get'")
    return gzip.open(whole, "rb")


def _lines(source, *path, separator=","):
    with _open(source, *path) as file:
        return list(csv.reader((line.decode("latin-1") for line in file), delimiter=separator, skipinitialspace=True))


def _linear(values, low, high):
    return np.clip((np.asarray(values, np.float64) - low) / (high - low), 0, 1)[:, None]


def _log(values, high):
    return np.clip(np.log1p(np.maximum(np.asarray(values, np.float64), 0)) / np.log1p(high), 0, 1)[:, None]


def _signed_log(values, high):
    values = np.asarray(values, np.float64)
    return np.clip(0.5 + 0.5 * np.sign(values) * np.log1p(np.abs(values)) / np.log1p(high), 0, 1)[:, None]


def _one_hot(values, categories):
    place = {text: i for i, text in enumerate(categories.split())}
    out = np.zeros((len(values), len(place)), np.float32)
    for i, text in enumerate(values):
        if text in place:
            out[i, place[text]] = 1
    return out


def _stack(blocks, constant=True):
    rows = np.hstack([np.asarray(b, np.float32) for b in blocks])
    return np.hstack([rows, np.ones((len(rows), 1), np.float32)]) if constant else rows


def _split(rows, labels, train, test, coin=1):
    order = np.random.default_rng(coin).permutation(len(labels))
    first, second = order[:train], order[train:train + test]
    return rows[first], labels[first], rows[second], labels[second]


def _shuffled(parts, coin=1):
    rows, labels, test_rows, test_labels = parts
    order = np.random.default_rng(coin).permutation(len(labels))
    return rows[order], labels[order], test_rows, test_labels


def mnist(source):
    def images(name):
        with _open(source, "mnist", name) as file:
            return np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32) / 255

    def digits(name):
        with _open(source, "mnist", name) as file:
            return np.frombuffer(file.read(), np.uint8, offset=8)

    return _shuffled((images("train-images-idx3-ubyte.gz"), digits("train-labels-idx1-ubyte.gz"),
                      images("t10k-images-idx3-ubyte.gz"), digits("t10k-labels-idx1-ubyte.gz")))


def _one_digit(source, digit):
    rows, labels, test_rows, test_labels = mnist(source)
    return rows, (labels == digit).astype(np.uint8), test_rows, (test_labels == digit).astype(np.uint8)


def _kdd_column(columns, j):
    if j in public.KDD_TEXT:
        return _one_hot(columns[j], public.KDD_TEXT[j])
    values = np.array(columns[j], np.float64)
    return _log(values, public.KDD_LOG[j]) if j in public.KDD_LOG else _linear(values, 0, public.KDD_LINEAR.get(j, 1))


def _kdd_rows(lines, continuous):
    columns = list(zip(*lines))
    skipped = set(public.KDD_TEXT) | set(public.KDD_TWO_VALUED) if continuous else set()
    return _stack([_kdd_column(columns, j) for j in range(41) if j not in skipped], constant=False)


def _kdd(source, continuous, train, test):
    lines = _lines(source, "kddcup99", "kddcup.data_10_percent.gz")
    order = np.random.default_rng(1).permutation(len(lines))[:train + test]
    chosen = [lines[i] for i in order]
    labels = np.array([line[41] != "normal." for line in chosen], np.uint8)
    rows = _kdd_rows(chosen, continuous)
    return rows[:train], labels[:train], rows[train:], labels[train:]


def nslkdd(source):
    parts = []
    for name in ("KDDTrain+.txt.gz", "KDDTest+.txt.gz"):
        lines = _lines(source, "nsl-kdd", name)
        parts += [_kdd_rows(lines, False), np.array([line[41] != "normal" for line in lines], np.uint8)]
    return _shuffled(parts)


def banknote(source):
    lines = np.array(_lines(source, "banknote", "data_banknote_authentication.txt.gz"), np.float64)
    rows = _stack([_linear(lines[:, j], *public.BANKNOTE[j]) for j in range(4)])
    return _split(rows, lines[:, 4].astype(np.uint8), 1097, 275)


def occupancy(source):
    parts = []
    for name in ("datatraining", "datatest", "datatest2"):
        lines = _lines(source, "occupancy", name + ".txt.gz")[1:]
        columns = np.array([line[2:] for line in lines], np.float64)
        parts.append((_stack([_linear(columns[:, j], *public.OCCUPANCY[j]) for j in range(5)]),
                      columns[:, 5].astype(np.uint8)))
    test = [np.concatenate(both) for both in zip(parts[1], parts[2])]
    return _shuffled((*parts[0], *test))


def ads(source):
    lines = _lines(source, "internet-ads", "ad.data.gz")
    cells = np.array([[0.0 if "?" in cell else float(cell) for cell in line[:-1]] for line in lines])
    cells[:, :3] = np.clip(cells[:, :3] / np.array(public.ADS_SIZES), 0, 1)
    return _split(cells.astype(np.float32), np.array([line[-1].startswith("ad") for line in lines], np.uint8), 2623, 656)


def adult(source):
    parts = []
    for name, skip in (("adult.data.gz", 0), ("adult.test.gz", 1)):
        lines = [line for line in _lines(source, "adult", name)[skip:] if len(line) == 15]
        columns = dict(zip(public.ADULT_COLUMNS, zip(*lines)))
        blocks = [_linear(np.array(columns[c], float), *r) for c, r in public.ADULT_NUMERIC.items()]
        blocks += [_log(np.array(columns[c], float), high) for c, high in public.ADULT_LOG.items()]
        blocks += [_one_hot(columns[c], texts) for c, texts in public.ADULT_CATEGORIES.items()]
        parts += [_stack(blocks), np.array([label.startswith(">50K") for label in columns["label"]], np.uint8)]
    return _shuffled(parts)


def bank(source):
    with _open(source, "bank-marketing", "BANK.dat.gz") as file:
        lines = np.array([line.split() for line in file], np.float64)
    scale = {"linear": lambda v, high: _linear(v, 0, high), "log": _log, "signed_log": _signed_log}
    blocks = [scale[public.BANK[j][0]](lines[:, j], public.BANK[j][1]) if j in public.BANK
              else lines[:, j][:, None] for j in range(32)]
    return _split(_stack(blocks), lines[:, 32].astype(np.uint8), 36168, 9043)


def forest(source):
    lines = _lines(source, "covertype-subset", "covertype_subset_92962.csv.gz")[1:]
    cells = np.array(lines, np.float64)
    return _split(np.clip(cells[:, :54], 0, 1).astype(np.float32), (cells[:, 54] == 2).astype(np.uint8), 79682, 13280)


def synthetic(rows, test, features, wrong):
    """Gaussian directions, a plane, and a share of wrong labels."""
    coin = np.random.default_rng(features)
    plane = coin.normal(size=features)
    cells = coin.normal(size=(rows + test, features)).astype(np.float32)
    labels = ((cells @ plane > 0) ^ (coin.random(rows + test) < wrong)).astype(np.uint8)
    return cells[:rows], labels[:rows], cells[rows:], labels[rows:]


def sphere(program, folder):
    """Song13's synthetic set, by the program's own generator."""
    path = os.path.join(folder, "sphere.csv")
    os.makedirs(folder, exist_ok=True)
    subprocess.run([program, "data", "synth", "sphere", "--rows", "12000", "--features", "5", "--margin", "0.001",
                    "--seed", "1", "--out", path], check=True, stdout=subprocess.DEVNULL)
    cells = np.loadtxt(path, delimiter=",", skiprows=1)
    rows, labels = cells[:, :-1].astype(np.float32), (cells[:, -1] > 0).astype(np.uint8)
    return rows[:10000], labels[:10000], rows[10000:], labels[10000:]


@functools.lru_cache(maxsize=3)  # sets that differ in their transforms alone come one after the other
def load(name, source, program, folder):
    makers = {
        "mnist": lambda: mnist(source), "mnist0": lambda: _one_digit(source, 0), "mnist1": lambda: _one_digit(source, 1),
        "kdd": lambda: _kdd(source, False, 50000, 20000), "kddcont": lambda: _kdd(source, True, 50000, 20000),
        "kddlarge": lambda: _kdd(source, True, 350000, 70000),
        "nslkdd": lambda: nslkdd(source), "banknote": lambda: banknote(source), "occupancy": lambda: occupancy(source),
        "ads": lambda: ads(source), "adult": lambda: adult(source), "bank": lambda: bank(source),
        "forest": lambda: forest(source), "sphere": lambda: sphere(program, folder),
        "proteinlike": lambda: synthetic(72876, 72875, 74, 0.02), "higgslike": lambda: synthetic(525000, 25000, 28, 0.3),
    }
    for size in (50000, 100000, 200000, 400000, 800000):
        makers[f"large{size}"] = lambda size=size: synthetic(size, 1000, 50, 0.05)
    return makers[name]()
