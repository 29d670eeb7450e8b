"""Every mechanism as a scikit-learn transformer.

make_pipeline(RandomFeatureTransformer("positive", "simplex"), LogisticRegression())
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rftheory.errors import InvalidInput
from rftheory.interop import needs
from rftheory.interop.drawn import draw, features_of_a_projection
from rftheory.sample.checks import positive, whole
from rftheory.sample.features import Side

with needs("scikit-learn", "digits"):
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data


class RandomFeatureTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Random features of the Gaussian or the softmax kernel, from any feature map and any coupling.

    Parameters
    ----------
    features : trigonometric, cosine (with phases), positive, hyperbolic, gerf, poisson, ...: any map by name.
    coupling : iid, orthogonal, simplex, mirrored, ...: any coupling by name.
    n_components : number of features, as in scikit-learn's RBFSampler. Maps with two features per projection, such as
        trigonometric, round an odd number up, because half a pair would bias the kernel.
    lengthscale : the kernel is exp(-|x - y|^2 / (2 lengthscale^2)), or exp(x.y / lengthscale^2).
    kernel : gaussian or softmax.
    random_state : seed of the projections.
    parameters : parameters of the feature map, such as ``{"A": -0.1}`` for gerf, ``{"v": 1.2}`` for oprf.

    Attributes
    ----------
    projections_ : (m, d), with m = n_components or half of it.

    Examples
    --------
    >>> x = np.array([[0.3, 0.1], [0.0, 0.4]])
    >>> phi = RandomFeatureTransformer("positive", "orthogonal", 4000, random_state=0).fit_transform(x)
    >>> bool(np.allclose(phi @ phi.T, [[1, 0.914], [0.914, 1]], atol=0.1))
    True

    Maps whose two sides differ, such as gerf with a complex A, estimate the kernel by features of both sides:

    >>> wave = RandomFeatureTransformer("gerf", "iid", 4000, random_state=0, parameters={"A": 0.1j}).fit(x)
    >>> bool(np.allclose(wave.transform(x) @ wave.transform_right(x).T, [[1, 0.914], [0.914, 1]], atol=0.1))
    True
    """

    def __init__(
        self,
        features: str = "trigonometric",
        coupling: str = "orthogonal",
        n_components: int = 128,
        *,
        lengthscale: float = 1.0,
        kernel: str = "gaussian",
        random_state: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.features = features
        self.coupling = coupling
        self.n_components = n_components
        self.lengthscale = lengthscale
        self.kernel = kernel
        self.random_state = random_state
        self.parameters = parameters

    def fit(self, X: Any, y: Any = None) -> RandomFeatureTransformer:
        """Draw the projections for inputs of the dimension of X, shape (n, d)."""
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        positive("lengthscale", self.lengthscale)
        if self.kernel not in ("gaussian", "softmax"):
            raise InvalidInput("kernel", needs="gaussian or softmax", got=self.kernel)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        d, each = X.shape[1], features_of_a_projection(self.features, X.shape[1], self.parameters)
        m = -(-whole("n_components", self.n_components) // each)
        self._drawn = draw(self.features, self.coupling, d, m, seed, self.parameters)
        self.projections_ = self._drawn.projections
        self._n_features_out = m * each
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Features (n, F) of inputs (n, d), of the type of X."""
        return self._of_side(X, "left")

    def transform_right(self, X: Any) -> np.ndarray:
        """Features (n, F) of the kernel's second inputs: those of `transform` unless the map's two sides differ."""
        return self._of_side(X, "right")

    def _of_side(self, X: Any, side: Side) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        inputs = X / np.asarray(self.lengthscale, dtype=X.dtype)
        found = self._drawn.features(inputs, self.kernel, side)  # type: ignore[arg-type]
        return found.astype(X.dtype, copy=False)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features."""
        check_is_fitted(self)
        return np.asarray([f"{self.features}{i}" for i in range(self._n_features_out)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
