"""A user's own mechanism with claims about it: the file that ``rftheory check --new`` starts.

The claims are compared with Gaussian integrals of the summand, where these can be computed, and with samples: means
and squared errors at four pairs of inputs, by bets that are valid for every law with the fourth moment that follows
from the summand or is stated in the file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import sympy as sp

from rftheory.check import symbolic
from rftheory.check.findings import Finding, Level, centred_mean, fact, nonnegative_mean, open_question
from rftheory.check.measures import Case, Pair, panel
from rftheory.check.resolve import functions_of, load_module, resolve
from rftheory.check.target import Target
from rftheory.errors import InvalidInput, SamplerFailed

PAIRS = ("x = y", "x orthogonal to y", "x along (1,..,1), y = 0", "x = -y")
GOAL_MEAN, GOAL_VARIANCE = 0.05, 0.5
ROUNDED = 1e-14
"""A claimed variance below this share of the squared mean counts as rounding: a difference of floats that cancel."""
Value: TypeAlias = Any  # sp.Expr or Callable[..., float]; sympy has no types


@dataclass
class Mechanism:
    """A file's estimator and its claims.

    Attributes
    ----------
    mean, variance : the claims: expressions in the symbols of `symbolic`, or functions of (x, y) and (x, y, m).
    summand : the estimate is the average of m independent copies of it; None if it is not such an average.
    kurtosis : claimed bound on E (K^ - mean)^4 / variance^2, used if there is no summand.
    """

    name: str
    target: Target
    d: int
    m: int
    mean: Value
    variance: Value
    summand: sp.Expr | None
    kurtosis: float
    raw: list[sp.Expr] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.summand is not None:
            self.raw = symbolic.moments(self.summand, 4)

    # ---- the claims alone --------------------------------------------------------------------------

    def proofs(self) -> list[Finding]:
        """Compare the claimed expressions with the Gaussian integrals of the summand."""
        found = []
        for topic, claimed, derived in (
            ("unbiasedness", self.mean, self._derived_mean()),
            ("variance", self.variance, self._derived_variance()),
        ):
            label = f"claimed {'mean' if topic == 'unbiasedness' else topic}, symbolically"
            if self.summand is None or not isinstance(claimed, sp.Expr):
                continue
            if derived is None:
                reason = "Gaussian integrals of SUMMAND cannot be computed; SUMMAND = None tests samples only"
                found.append(open_question(topic, label, reason))
                continue
            equal, reason = symbolic.same(claimed, derived)
            if equal is None:
                found.append(open_question(topic, label, reason))
            else:
                found.append(fact(topic, label, equal, 1, 0.0, "", reason=reason))
        return found

    def _derived_mean(self) -> sp.Expr | None:
        return self.raw[1] if self.raw else None

    def _derived_variance(self) -> sp.Expr | None:
        return (self.raw[2] - self.raw[1] ** 2) / symbolic.M if self.raw else None

    # ---- the claims and the samples ----------------------------------------------------------------

    def pairs(self) -> list[Pair]:
        """The inputs at which samples are taken."""
        case = Case.of(self.d, self.m, "iid", "positive", "gaussian", 1.0, 0)
        every = {pair.name: pair for pair in panel(case)}
        return [every[name] for name in PAIRS]

    def findings(self, pair: Pair, values: np.ndarray, level: Level) -> list[Finding]:
        """Compare mean and squared errors of the estimates at a pair with the claims."""
        mean, variance = self._number("MEAN", self.mean, pair), self._number("VARIANCE", self.variance, pair)
        if variance < 0:
            raise InvalidInput(f"VARIANCE at {pair.name}", needs="a number of at least 0", got=variance)
        labels = f"mean at {pair.name}, samples", f"variance at {pair.name}, samples"
        size = max(abs(mean), math.sqrt(variance), 1e-300)
        if variance <= ROUNDED * size**2:
            gap = float(np.abs(values - mean).max()) / size
            label = f"mean at {pair.name}, where no error is claimed, samples"
            holds = gap < 10 * math.sqrt(ROUNDED)
            return [fact("unbiasedness", label, holds, len(values), gap, "largest relative error")]
        fourth = self._fourth(pair, mean, variance)
        # means converge at the rate of the standard error, so no goal may be smaller
        goal = max(GOAL_MEAN * size, 0.4 * math.sqrt(variance))
        return [
            centred_mean("unbiasedness", labels[0], values - mean, fourth, level, goal, unit=size),
            nonnegative_mean("variance", labels[1], (values - mean) ** 2, variance, {2: fourth}, level,
                             GOAL_VARIANCE),
        ]  # fmt: skip

    def _number(self, name: str, claim: Value, pair: Pair) -> float:
        if isinstance(claim, sp.Expr):
            value: Any = claim.subs(self._point(pair))
        else:
            arguments = (pair.x, pair.y) if name == "MEAN" else (pair.x, pair.y, self.m)
            try:
                value = claim(*arguments)
            except (Exception, SystemExit) as error:
                raise SamplerFailed(f"{self.name}:{name}", problem=f"it raised {error!r}") from error
        try:
            number = float(value)
        except TypeError:
            number = math.nan
        if not math.isfinite(number):
            raise InvalidInput(f"{name} at {pair.name}", needs="a finite number", got=str(value))
        return number

    def _fourth(self, pair: Pair, mean: float, variance: float) -> float:
        """E (K^ - mean)^4, from the moments of the summand, or the bound stated in the file."""
        if self.raw is None:
            return self.kurtosis * variance**2
        raw = [float(value.subs(self._point(pair))) for value in self.raw]
        shift = raw[1] - mean
        second = raw[2] - raw[1] ** 2
        third = raw[3] - 3 * raw[1] * raw[2] + 2 * raw[1] ** 3
        fourth = raw[4] - 4 * raw[1] * raw[3] + 6 * raw[1] ** 2 * raw[2] - 3 * raw[1] ** 4
        m = self.m
        own = (fourth + 3 * (m - 1) * second**2) / m**3
        return max(own + 4 * shift * third / m**2 + 6 * shift**2 * second / m + shift**4, variance**2)

    def _point(self, pair: Pair) -> dict[sp.Symbol, float]:
        x, y = pair.x, pair.y
        return {
            symbolic.XX: float(x @ x), symbolic.YY: float(y @ y), symbolic.XY: float(x @ y),
            symbolic.D: sp.Integer(self.d), symbolic.M: sp.Integer(self.m),
        }  # fmt: skip


def load(path: str) -> Mechanism:
    """Load the mechanism of a file.

    Raises
    ------
    InvalidInput, SamplerFailed : something in the file is missing or unusable; the message says what.
    """
    module = load_module(path)
    d, m = _size(module, path, "DIMENSION", 8), _size(module, path, "PROJECTIONS", 16)
    if callable(getattr(module, "estimate", None)):
        functions, kind = "estimate", "estimator"
    elif callable(getattr(module, "phi", None)):
        functions = "phi,psi" if callable(getattr(module, "psi", None)) else "phi"
        kind = "features"
    else:
        hint = "rftheory check --new FILE writes a template; name a sampler as file.py:function"
        raise InvalidInput(
            path,
            needs="estimate(x, y, m, seed) or phi(x, m, seed)",
            got=", ".join(functions_of(module)) or "no function",
            hint=hint,
        )
    target = resolve(f"{path}:{functions}", kind=kind, d=d, m=m)
    summand = getattr(module, "SUMMAND", None)
    kurtosis = getattr(module, "KURTOSIS", 100)
    if isinstance(kurtosis, bool) or not isinstance(kurtosis, int | float) or not 1 <= kurtosis < math.inf:
        raise InvalidInput(f"{path}: KURTOSIS", needs="a number of at least 1", got=kurtosis)
    return Mechanism(
        path,
        target,
        d,
        m,
        _claim(module, path, "MEAN"),
        _claim(module, path, "VARIANCE"),
        None if summand is None else _expression(path, "SUMMAND", summand, inputs=True),
        float(kurtosis),
    )


def _names(module: Any) -> str:
    return ", ".join(n for n in vars(module) if not n.startswith("_")) or "nothing"


def _size(module: Any, path: str, name: str, default: int) -> int:
    value = getattr(module, name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{path}: {name}", needs="a positive integer", got=value)
    return value


def _claim(module: Any, path: str, name: str) -> Value:
    value = getattr(module, name, None)
    if value is None:
        raise InvalidInput(path, needs=f"{name}, an expression or a function", got=_names(module))
    return value if callable(value) and not isinstance(value, sp.Basic) else _expression(path, name, value)


def _expression(path: str, name: str, value: Any, inputs: bool = False) -> sp.Expr:
    allowed = "s, t, " * inputs + "xx, yy, xy, d, m"
    try:
        found = symbolic.named(value)
    except ValueError as error:
        raise InvalidInput(f"{path}: {name}", needs=f"an expression in {allowed}", got=str(error)) from error
    except (sp.SympifyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{path}: {name}", needs=f"an expression in {allowed}", got=repr(value)) from error
    if not inputs and found.has(symbolic.S, symbolic.T):
        raise InvalidInput(f"{path}: {name}", needs=f"an expression in {allowed}", got=str(found))
    return found


def is_mechanism(target: object) -> bool:
    """Whether a target is a file name without a function name."""
    return isinstance(target, str | Path) and str(target).endswith(".py")
