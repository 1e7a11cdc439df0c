"""Fit functions with one signature: (X, y, classes, epsilon, delta) to something with predict."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


def sotto_gaussian(X: Any, y: Any, classes: int, epsilon: float, delta: float, **more: Any) -> Any:
    from sotto import LogisticRegression

    return LogisticRegression(
        epsilon=epsilon, delta=delta, data_norm=1.0, fit_intercept=False, classes=list(range(classes)), method="auto", **more
    ).fit(X, y)


def sotto_add_remove(X: Any, y: Any, classes: int, epsilon: float, delta: float) -> Any:
    return sotto_gaussian(X, y, classes, epsilon, delta, neighboring_relation="add_remove", options={"declared_rows": len(X)})


def sotto_pure(X: Any, y: Any, classes: int, epsilon: float, delta: float) -> Any:
    return sotto_gaussian(X, y, classes, epsilon, 0.0)


def diffprivlib(X: Any, y: Any, classes: int, epsilon: float, delta: float) -> Any:
    from diffprivlib.models import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LogisticRegression(epsilon=epsilon, data_norm=1.0, fit_intercept=False, max_iter=100).fit(X, y)


def scikit_learn(X: Any, y: Any, classes: int, epsilon: float, delta: float) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(fit_intercept=False, max_iter=200).fit(X, y)


class _Linear:
    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def predict(self, X: Any) -> Any:
        return np.argmax(X @ self.weights.T, axis=1)


def opacus(X: Any, y: Any, classes: int, epsilon: float, delta: float) -> Any:
    """DP-SGD on a linear model: 20 epochs, batches of about 512 rows, clip 1, as its tutorials do. Its epsilon is that of
    add_remove; under replace_one these models have more."""
    import torch
    from opacus import PrivacyEngine

    net = torch.nn.Linear(X.shape[1], classes, bias=False)
    rows = torch.utils.data.TensorDataset(torch.from_numpy(X), torch.from_numpy(np.asarray(y, dtype=np.int64)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net, step, loader = PrivacyEngine().make_private_with_epsilon(
            module=net, optimizer=torch.optim.SGD(net.parameters(), lr=4.0),
            data_loader=torch.utils.data.DataLoader(rows, batch_size=512),
            target_epsilon=epsilon, target_delta=delta, epochs=20, max_grad_norm=1.0,
        )
        for _ in range(20):
            for inputs, labels in loader:
                step.zero_grad()
                torch.nn.functional.cross_entropy(net(inputs), labels).backward()
                step.step()
    return _Linear(next(net.parameters()).detach().numpy())


ALL = {
    "sotto": sotto_gaussian, "sotto_add_remove": sotto_add_remove, "sotto_pure": sotto_pure, "diffprivlib": diffprivlib,
    "opacus": opacus, "scikit_learn": scikit_learn,
}  # fmt: skip
