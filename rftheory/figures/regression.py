"""Classification by kernel regression, exact and with random features, in time linear in the number of rows.

The predicted class of x is the one with the largest sum of K(sigma x, sigma x_i) over the training objects x_i
of the class (Simplex, Sec. 5.3; Chefs' random tables, Sec. 5.2; the denominator does not change the class).
With features, the sums over the training objects are taken first, so that N objects and F features need O(N F)
numbers and no N x N matrix.
"""

from __future__ import annotations

import numpy as np

from rftheory.sample import RandomFeatures, Stream
from rftheory.sample.features import Terms

ROWS = 4096
"""Number of training objects whose features are held in memory at a time."""

_ELEMENTS = 2**21
"""Number of features held in memory at a time, over the draws of a batch."""


def accuracies(
    mechanism: RandomFeatures,
    stream: Stream,
    draws: int,
    train: np.ndarray,
    classes: np.ndarray,
    test: np.ndarray,
    wanted: np.ndarray,
) -> np.ndarray:
    """Return the share of correctly classified test objects for each draw of the features, shape (draws,).

    Parameters
    ----------
    train, test : (n, d) and (n', d), scaled by sigma.
    classes, wanted : their classes, integers from 0.

    Examples
    --------
    >>> from rftheory.sample import Mechanism
    >>> points = np.array([[-1.0, 0.0], [1.0, 0.0]])
    >>> labels = np.array([0, 1])
    >>> accuracies(Mechanism("positive", "simplex", 64), Stream(1), 3, points, labels, points, labels).tolist()
    [1.0, 1.0, 1.0]
    """
    members = _members(classes)
    batch = max(1, _ELEMENTS // (min(ROWS, len(train)) * getattr(mechanism, "m", 128)))
    found = []
    for start in range(0, draws, batch):
        blocks = range(start, min(start + batch, draws))
        guessed = class_scores(mechanism, stream, blocks, train, members, test).argmax(axis=-1)
        found.append((guessed == wanted).mean(axis=-1))
    return np.concatenate(found)


def class_scores(
    mechanism: RandomFeatures,
    stream: Stream,
    blocks: range,
    train: np.ndarray,
    members: np.ndarray,
    test: np.ndarray,
) -> np.ndarray:
    """Return estimates of sum_i K(x, x_i) members_i for the test objects, up to a positive factor for each.

    members : (n, classes), one-hot; the result has shape (blocks, n', classes).
    """
    sums, peak, left = np.zeros(0), np.zeros(0), None
    for start in range(0, len(train), ROWS):
        part = train[start : start + ROWS]
        # The projections are the same for every part; the test objects are mapped once.
        asked = test if left is None else test[:1]
        found, right = mechanism.features(stream, blocks, asked, part, "gaussian", via="matrix")
        left = found if left is None else left
        logs, factor = _spelled(right)
        own = logs.max(axis=-1, keepdims=True)
        scaled = np.exp(logs - own) if factor is None else np.exp(logs - own) * factor
        share = scaled @ members[start : start + ROWS]
        if start == 0:
            sums, peak = share, own
        else:
            top = np.maximum(peak, own)
            sums, peak = sums * np.exp(peak - top) + share * np.exp(own - top), top
    assert left is not None
    logs, factor = _spelled(left)
    logs = logs + peak
    weights = np.exp(logs - logs.max(axis=-2, keepdims=True))
    if factor is not None:
        weights = weights * factor
    return np.asarray(np.swapaxes(weights, -1, -2) @ sums)


def _spelled(terms: Terms) -> tuple[np.ndarray, np.ndarray | None]:
    """Logarithms in full shape, and the factors."""
    logs = np.asarray(terms.log_scale)
    if terms.factor is None:
        return logs, None
    return logs + np.zeros_like(terms.factor), np.asarray(terms.factor)


def exact_accuracy(train: np.ndarray, classes: np.ndarray, test: np.ndarray, wanted: np.ndarray) -> float:
    """Return the share of test objects that the exact kernel classifies correctly.

    Examples
    --------
    >>> points, labels = np.array([[-1.0], [1.0]]), np.array([0, 1])
    >>> exact_accuracy(points, labels, points, labels)
    1.0
    """
    members, squares = _members(classes), (train**2).sum(axis=1)
    rows = max(1, _ELEMENTS // len(train))
    right = 0
    for start in range(0, len(test), rows):
        part = test[start : start + rows]
        logs = part @ train.T - squares / 2
        scores = np.exp(logs - logs.max(axis=1, keepdims=True)) @ members
        right += int((scores.argmax(axis=1) == wanted[start : start + rows]).sum())
    return right / len(test)


def _members(classes: np.ndarray) -> np.ndarray:
    return np.eye(int(classes.max()) + 1)[classes]
