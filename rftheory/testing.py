"""Contracts for pytest: the tests of ``rftheory check``, for the test suite of your own sampler.

    from rftheory.testing import SamplerContract

    class TestMySampler(SamplerContract):
        target, coupling = my_sampler, "orthogonal"

A refuted property fails its test and shows the report; so does an undecided one, for which ``seconds`` can be raised.
A property that the declared mechanism does not promise is skipped. Where no report can be made, as with the name of a
coupling that does not exist, the first test raises the error and the others are skipped. With the plugin (``pytest
-p rftheory``, or automatically if the package is installed) tests may also use the fixture ``rftheory_check``.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

from rftheory.check import Report, check
from rftheory.errors import InvalidInput, RFTheoryError, UnknownName, need
from rftheory.judge import Outcome

OPTIONS = ("kind", "coupling", "features", "kernel", "lengthscale", "d", "m", "arguments", "seed")
"""Attributes of a contract that `rftheory.check.check` takes as they are."""


class Contract:
    """Base class of the contracts; a subclass named ``Test...`` sets the target, and pytest runs it.

    Attributes
    ----------
    target : function, transformer, array or text, as for `rftheory.check.check`.
    kind, coupling, features, kernel, lengthscale, d, m, arguments, seed : options of `rftheory.check.check`.
    seconds : how long to continue until every property is decided.

    Examples
    --------
    >>> import numpy as np
    >>> class TestWeights(SamplerContract):
    ...     target, coupling, d, seconds = (lambda m, d, seed: np.zeros((m, d)) + seed % 7), "iid", 2, 1
    >>> TestWeights().test_marginal()  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    AssertionError: ...
    """

    target: ClassVar[Any] = None
    kind: ClassVar[str | None] = None
    coupling: ClassVar[str | None] = None
    features: ClassVar[str | None] = None
    kernel: ClassVar[str] = "gaussian"
    lengthscale: ClassVar[float | None] = None
    d: ClassVar[int | None] = None
    m: ClassVar[int | None] = None
    arguments: ClassVar[Mapping[str, Any] | None] = None
    seed: ClassVar[int] = 0
    seconds: ClassVar[float] = 30.0
    _told: ClassVar[str] = ""
    _failed: ClassVar[tuple[str, str]]

    @classmethod
    def report(cls) -> Report:
        """The report for the target, made once per class."""
        if "_report" not in cls.__dict__:
            cls._require_known()
            cls._report = check(  # type: ignore[attr-defined]
                cls._target(), seconds=cls.seconds, **{name: getattr(cls, name) for name in OPTIONS}
            )
        found: Report = cls.__dict__["_report"]
        return found

    @classmethod
    def _target(cls) -> Any:
        """The target; a function of the class is no method, and is given no object."""
        subject, target = f"{cls.__name__}.target", inspect.getattr_static(cls, "target")
        if target is None:
            raise InvalidInput(subject, needs="what is to be checked", got=None)
        if isinstance(target, staticmethod | classmethod):
            target = target.__get__(None, cls)
        if inspect.isfunction(target) and [*inspect.signature(target).parameters][:1] == ["self"]:
            raise InvalidInput(subject, needs="a function without self", got=target.__qualname__)
        return target

    @classmethod
    def _require_known(cls) -> None:
        """Refuse an attribute whose name is nearly that of an option; any other may be the author's own."""
        known = ("target", "seconds", *OPTIONS)
        for name in sorted({*dir(cls)} - {*dir(Contract)}):
            if difflib.get_close_matches(name, known, cutoff=0.8):
                raise UnknownName(f"option of {cls.__name__}", name, known)

    @classmethod
    def _report_for(cls, topic: str) -> Report:
        """The report; where none can be made, the first test raises the reason, also if repeated, and others skip."""
        __tracebackhide__ = True
        first, reason = cls.__dict__.get("_failed", (topic, ""))
        if first != topic:
            import pytest

            pytest.skip(f"test_{first} says why there is no report: {reason}")
        try:
            return cls.report()
        except RFTheoryError as error:
            cls._failed, problem = (topic, str(error)), error
        if isinstance(
            problem, InvalidInput | UnknownName
        ):  # of the class: the code of the checker says nothing
            raise problem.with_traceback(None) from None
        raise problem  # with the line of the target that failed

    def _require(self, topic: str) -> None:
        __tracebackhide__ = True
        report = self._report_for(topic)
        verdict = report.verdicts[topic]
        if verdict is None:
            import pytest

            pytest.skip(f"{topic}: {report.untested(topic)}")
        if verdict is not Outcome.AGREES and self.__class__.__dict__.get("_told"):
            raise AssertionError(f"{topic} {verdict}: {report.headline}; {self._told} has the report")
        if verdict is not Outcome.AGREES:
            self.__class__._told = f"test_{topic}"
        require(report, verdict, topic)

    def test_unbiasedness(self) -> None:
        """Means are those of the kernel."""
        self._require("unbiasedness")

    def test_variance(self) -> None:
        """Squared errors are those of the declared mechanism."""
        self._require("variance")

    def test_stability(self) -> None:
        """Large norms do not overflow, and results have a floating type."""
        self._require("stability")

    def test_determinism(self) -> None:
        """The same seed gives the same draw, another seed another one."""
        self._require("determinism")


class SamplerContract(Contract):
    """A function that returns a weight matrix, m x d or d x m, or anything else that ``rftheory check`` takes.

    As there, what the target is follows from its arguments, unless ``kind`` says it. Of features and estimates, tests
    of the rows are skipped.

    Examples
    --------
    >>> import numpy as np
    >>> class TestGaussian(SamplerContract):
    ...     target, coupling, d = (lambda m, d, seed: np.random.default_rng(seed).normal(size=(m, d))), "iid", 4
    >>> TestGaussian().test_determinism()
    """

    def test_marginal(self) -> None:
        """Rows have the norms, means and coordinates of the kernel's spectral law."""
        self._require("marginal")

    def test_directions(self) -> None:
        """Directions are uniform on the whole sphere and independent of norms."""
        self._require("directions")

    def test_coupling(self) -> None:
        """Angles inside blocks are those of the coupling."""
        self._require("coupling")

    def test_blocks(self) -> None:
        """Blocks and calls share nothing."""
        self._require("blocks")


class FeatureMapContract(Contract):
    """A feature map phi(x, seed) of inputs (n, d), or an object with fit and transform.

    Examples
    --------
    >>> import numpy as np
    >>> def waves(x, seed):
    ...     seen = x @ np.random.default_rng(seed).normal(size=(x.shape[1], 16))
    ...     return np.concatenate([np.sin(seen), np.cos(seen)], axis=1) / 4
    >>> class TestWaves(FeatureMapContract):
    ...     target, features, coupling, d = waves, "trigonometric", "iid", 3
    >>> TestWaves().test_determinism()
    """


class EstimatorContract(Contract):
    """A function K_hat(x, y, seed) of two vectors (d,) that returns a number.

    Examples
    --------
    >>> import numpy as np
    >>> def exact(x, y, seed):
    ...     return np.exp(-((x - y) ** 2).sum() / 2)
    >>> class TestEstimate(EstimatorContract):
    ...     target, d = exact, 3
    >>> TestEstimate.kind
    'estimator'
    """

    kind = "estimator"


def require(report: Report, verdict: Outcome, topic: str = "") -> None:
    """Raise AssertionError with the report unless the verdict is `agrees`.

    Examples
    --------
    >>> from rftheory.check import check
    >>> report = check(lambda m, d, seed: [[1.0] * d] * m, coupling="iid", d=2)
    >>> require(report, report.decision)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    AssertionError: refuted
    """
    need("report", report, Report, "a report of check")
    need("verdict", verdict, Outcome, "an outcome")
    if verdict is not Outcome.AGREES:
        raise AssertionError(f"{topic or report.target} {verdict}\n{report.text()}")


__all__ = ["Contract", "EstimatorContract", "FeatureMapContract", "SamplerContract", "require"]
