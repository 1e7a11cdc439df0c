"""Data the tests share: made up, so that the suite needs no files."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from sotto import _core
from sotto._encoding import Encoding, plain_names

# A shell that starts the suite in the background has its children ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def encoding_of(features: int, norm: float, intercept: float = 0.0, classes: int = 2) -> "_core.Encoding":
    """Of an array of so many features, without ranges; the norm is that of stored rows."""
    return Encoding.of_array(plain_names(features), norm, intercept, [str(k) for k in range(classes)]).core


def sphere(rows: int, features: int, classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of norm 1 around one direction a class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    centers = np.eye(features)[:classes] * 2.0
    X = centers[y] + rng.normal(size=(rows, features)) * 0.4
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


@pytest.fixture(scope="session")
def two() -> tuple[np.ndarray, np.ndarray]:
    return sphere(4000, 5)


@pytest.fixture(scope="session")
def three() -> tuple[np.ndarray, np.ndarray]:
    return sphere(6000, 6, classes=3)
