"""Quantities of mechanisms by name: ``rftheory eval mse feature=positive coupling=simplex d=64 m=128 v=1``.

Each has a general route, through the classes of pairs of rows that the coupling declares, and for some mechanisms the
closed forms of the papers, which are faster; `--route all` compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import sympy
from flint import arb

from rftheory import names
from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain, UnknownName
from rftheory.exact.enclosure import Enclosure, certify, exact_number, real_number
from rftheory.exact.evaluate import evaluate_real
from rftheory.exact.exponential_moments import mgf_of
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.inputs import Inputs, listed
from rftheory.exact.laws import Law
from rftheory.exact.row_tails import SIDES, tail_of
from rftheory.spec import FeatureMap, find_coupling, find_map
from rftheory.spec.dimension import LARGEST_DIMENSION

Value = Callable[[Law, Mapping[str, Any]], arb]
NORMS = {"v": "sum_norm", "z": "difference_norm", "theta": "theta"}
INPUTS = "v = |x + y|, z = |x - y| (a missing one is 0), x and y (norms, or coordinates x=1,2 y=3,4), theta"
GENERAL = "pairs of rows"
"""The route that every quantity has."""


@dataclass(frozen=True)
class Quantity:
    """A quantity of every mechanism at a pair of inputs.

    Attributes
    ----------
    name : its name in ``rftheory eval``.
    says : one line.
    value : computes it from the declaration, at the working precision.
    latex : its definition.
    options : names of further arguments, with their defaults.
    closed : closed forms, by feature map and coupling.
    needs_feature : whether a feature map must be given; if not, it is the positive one.

    Examples
    --------
    >>> print(find_quantity("mse").enclose(20, feature="positive", coupling="simplex", d=64, m=64, v="0.5"))
    0.00012324437692472396008
    """

    name: str
    says: str
    value: Value
    latex: str
    options: Mapping[str, object] = field(default_factory=dict)
    closed: Mapping[tuple[str, str], Value] = field(default_factory=dict)
    needs_feature: bool = True
    source: str = "ours, from the declaration of feature map and coupling"

    @property
    def domain(self) -> str:
        """The arguments, in words."""
        settings = (
            "feature, coupling (or mechanism), kernel = gaussian or softmax"
            if self.needs_feature
            else "coupling"
        )
        options = "".join(
            f", {name}" + f" = {value}" * (value is not None) for name, value in self.options.items()
        )
        dimension = f"integer d from 1 to {LARGEST_DIMENSION}"
        return f"{settings}, {dimension}, integer m >= 1{options}; {INPUTS}; parameters of the feature map"

    def read(self, values: Mapping[str, object]) -> tuple[Law, dict[str, Any]]:
        """The requested mechanism at its pair, and the other arguments.

        Raises
        ------
        UnknownName, InvalidInput, OutsideDomain : something is missing, unknown, or outside its domain.

        Examples
        --------
        >>> find_quantity("conformity").read({"coupling": "simplex", "d": 4, "z": 1})
        Traceback (most recent call last):
        ...
        rftheory.errors.InvalidInput: conformity: needs v, on which it depends, got 'z alone'; say v=0 if x = -y
        """
        given = dict(values)
        extra = {name: given.pop(name, default) for name, default in self.options.items()}
        feature, coupling = self._mechanism(given)
        kernel = str(given.pop("kernel", "gaussian"))
        inputs, m = _inputs(given)
        size = inputs.d if coupling == "iid" else find_coupling(coupling).size(inputs.d)
        second: FeatureMap | None = None
        theirs: dict[str, object] = {}
        if "other" in extra:
            if extra["other"] is None:
                raise InvalidInput(
                    self.name, needs="other=NAME, a second feature map of the same rows", got=None
                )
            second = find_map(str(extra["other"]))
            theirs, given = _shared_out(given, find_map(feature), second)
        maps = [one for one in (find_map(feature), second) if one] if self.needs_feature else []
        self._need_norms(values, {f"{self.name} of {one.name}": one.norm for one in maps} or {self.name: "v"})
        law = Law(find_map(feature), find_coupling(coupling), m or size, inputs, given, kernel)  # type: ignore[arg-type]
        if "order" in extra:
            extra["order"] = _whole("order", extra["order"], 2, 8)
        if "eps" in extra:
            extra["eps"] = size_of_error(extra["eps"])
        if "t" in extra:
            extra["t"] = _tilt(extra["t"])
        if second is not None:
            extra["other"] = self._located(Law(second, law.coupling, law.m, inputs, theirs, law.kernel))
        return self._located(law), extra

    def _mechanism(self, given: dict[str, object]) -> tuple[str, str]:
        if "mechanism" in given:
            if given.keys() & {"feature", "coupling"}:
                raise InvalidInput(
                    self.name, needs="a mechanism, or a feature map and a coupling", got="both"
                )
            return names.mechanism(str(given.pop("mechanism")))
        feature, coupling = (
            given.pop("feature", None if self.needs_feature else "positive"),
            given.pop("coupling", None),
        )
        for what, found in (("feature", feature), ("coupling", coupling)):
            if found is None:
                raise InvalidInput(self.name, needs=f"{what}=NAME", got=None, hint="rftheory eval --list")
        return find_map(str(feature)).name, find_coupling(str(coupling)).name

    def _located(self, law: Law) -> Law:
        """The law, if it is that of all pairs with the norms, where norms alone were given."""
        if law.inputs.turned and law.by_coordinate and not (self.name == "mean" and law.unbiased):
            raise InvalidInput(
                f"{self.name} of {law.feature.name}", needs="the coordinates of x and y, on which it depends",
                got="norms", hint="say x=1,0 y=0,1",
            )  # fmt: skip
        return law

    @staticmethod
    def _need_norms(given: Mapping[str, object], norms: Mapping[str, str]) -> None:
        """Refuse the other norm alone: with 0 for the one that matters, the estimate is the same for all draws."""
        named = [name for name in ("v", "z", "x", "y", "theta") if given.get(name) is not None]
        for subject, norm in norms.items():
            if (norm, named) in (("v", ["z"]), ("z", ["v"])):
                hint = f"say {norm}=0 if x = {'y' if norm == 'z' else '-y'}"
                raise InvalidInput(
                    subject, needs=f"{norm}, on which it depends", got=f"{named[0]} alone", hint=hint
                )

    def routes(self, law: Law, extra: Mapping[str, Any]) -> dict[str, Callable[[], arb]]:
        """The routes to the value, by name; the first one is used."""
        found: dict[str, Callable[[], arb]] = {}
        closed = self.closed.get((law.feature.name, law.coupling.name))
        if closed is not None and law.kernel == "gaussian":
            found["closed form"] = partial(closed, law, extra)
        found[GENERAL] = partial(self.value, law, extra)
        if self.name in ("variance", "mse") and law.unbiased:
            found["patterns of rows"] = lambda: central_moments_of(law, 2)[2]
        return found

    def enclose(self, digits: int = 30, *, route: str | None = None, **values: object) -> Enclosure:
        """The value with ``digits`` proved significant digits.

        Raises
        ------
        NotKnown : the declarations do not determine the value, or no route computes it; the message says why.
        NotCertified : the digits could not be proved.
        """
        return self.found(digits, route=route, **values)[1]

    def found(self, digits: int = 30, *, route: str | None = None, **values: object) -> tuple[str, Enclosure]:
        """The value, as from :meth:`enclose`, and the name of the route that computed it."""
        law, extra = self.read(values)
        routes = self.routes(law, extra)
        if route is not None and route not in routes:
            raise UnknownName(f"route of {self.name}", route, routes)
        failed: dict[str, OutsideDomain | NotCertified | NotKnown] = {}
        for name in [route] if route else routes:
            try:
                return name, certify(routes[name], digits, self._call(law))
            except (
                OutsideDomain,
                NotCertified,
                NotKnown,
            ) as error:  # a closed form may have a smaller domain than the law
                failed[name] = error
        raise _reason(failed)

    def agree(
        self, digits: int = 30, *, refused: dict[str, NotCertified] | None = None, **values: object
    ) -> dict[str, Enclosure]:
        """Enclosures by every route, which must overlap. Routes without a proof go into ``refused``, if given.

        If the general route proves an exact 0, the others give balls with ``digits`` decimals.

        Raises
        ------
        InvalidInput : two do not overlap, so one of the routes is wrong.
        """
        law, extra = self.read(values)
        found: dict[str, Enclosure] = {}
        routes = self.routes(law, extra)
        for name in sorted(routes, key=lambda name: name != GENERAL):
            vanishes = GENERAL in found and found[GENERAL].ball == 0
            try:
                found[name] = certify(routes[name], digits, f"{self._call(law)} by {name}", absolute=vanishes)
            except NotKnown:
                if name == GENERAL:
                    raise
            except NotCertified as error:
                if refused is None:
                    raise
                refused[name] = error
        found = {name: found[name] for name in routes if name in found}
        if not found and refused:
            raise next(iter(refused.values()))
        first = next(iter(found.values()))
        for name, other in found.items():
            if not first.overlaps(other):
                got = f"{first.shown()} and by {name} {other.shown()}"
                raise InvalidInput(self._call(law), needs="routes to agree", got=got)
        return found

    def _call(self, law: Law) -> str:
        return f"{self.name} of {law.name}, d = {law.inputs.d}"


def _reason(failed: Mapping[str, OutsideDomain | NotCertified | NotKnown]) -> Exception:
    """Why there is no value: what a route that is known lacks, else what the general one does not know."""
    known = {name: error for name, error in failed.items() if not isinstance(error, NotKnown)} or failed
    return known.get(GENERAL, [*known.values()][-1])


def _shared_out(
    given: dict[str, object], first: FeatureMap, second: FeatureMap
) -> tuple[dict[str, object], dict[str, object]]:
    """Parameters of the second map and of the first; a name that both take applies to both."""
    names_of = [{p.name for p in one.parameters if p.name not in one.chosen} for one in (first, second)]
    theirs = {name: value for name, value in given.items() if name in names_of[1]}
    ours = {name: value for name, value in given.items() if name in names_of[0] or name not in theirs}
    return theirs, ours


def _whole(name: str, value: object, low: int, high: int | None = None) -> int:
    number = exact_number(value, name)
    needs = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
    if not number.is_Integer or number < low or (high is not None and number > high):
        raise OutsideDomain(name, needs=needs, got=str(value))
    return int(number)


def size_of_error(value: object) -> sympy.Expr:
    """An exact number above 0.

    Raises
    ------
    InvalidInput, OutsideDomain : there is none, or it is not above 0.

    Examples
    --------
    >>> size_of_error("0.25")
    1/4
    """
    if value is None:
        raise InvalidInput("tail", needs="eps=NUMBER, the size of an error", got=None)
    number = exact_number(value, "eps")
    if not number.is_positive:
        raise OutsideDomain("eps", needs="the size of an error, above 0", got=str(value))
    return number


def _tilt(value: object) -> sympy.Expr:
    if value is None:
        raise InvalidInput("mgf", needs="t=NUMBER, the factor of the estimate in E exp(t K^)", got=None)
    return real_number(value, "t")


def _inputs(given: dict[str, object]) -> tuple[Inputs, int | None]:
    """The pair of inputs and m; the rest of ``given`` are parameters of the map."""
    d = None if given.get("d") is None else _whole("d", given["d"], 1, LARGEST_DIMENSION)
    m = None if given.get("m") is None else _whole("m", given["m"], 1)
    given.pop("d", None), given.pop("m", None)
    x, y = listed(given.get("x")), listed(given.get("y"))
    if d == 1 and None not in (x, y) and all(given.get(key) is None for key in NORMS):
        x, y = ([entry] if not isinstance(entry, list | tuple) else entry for entry in (x, y))
    if isinstance(x, list | tuple) or isinstance(y, list | tuple):
        if not (isinstance(x, list | tuple) and isinstance(y, list | tuple)):
            raise InvalidInput("x, y", needs="coordinates of both, or norms of both", got="one of each")
        given.pop("x"), given.pop("y")
        if d not in (None, len(x)):
            raise InvalidInput("d", needs=f"{len(x)}, the number of coordinates", got=d)
        if any(isinstance(entry, list | tuple) for entry in (*x, *y)):
            raise InvalidInput("x, y", needs="coordinates with commas between them", got="rows")
        return Inputs.of_vectors(x, y), m
    if d is None:
        raise InvalidInput("d", needs="the dimension, or coordinates of x and y", got=None)
    norms = {ours: given.pop(key, None) for key, ours in NORMS.items()}
    return Inputs.of_norms(d, x=given.pop("x", None), y=given.pop("y", None), **norms), m


# ---- closed forms of the papers ----------------------------------------------------------------------


def _formula(name: str, *arguments: str) -> Value:
    """The closed form with that name at the pair, with arguments taken from the mechanism."""

    def value(law: Law, extra: Mapping[str, Any]) -> arb:
        from rftheory.exact import find_formula

        inputs = law.inputs
        known = {
            "d": lambda: inputs.d, "m": lambda: law.m,
            "v": lambda: inputs.sum_norm, "z": lambda: inputs.difference_norm,
            "x": lambda: sympy.sqrt(inputs.total(lambda x, y: x * x)),
            "y": lambda: sympy.sqrt(inputs.total(lambda x, y: y * y)), "n": lambda: extra["order"],
            "A": lambda: law.parameters["A"], "s": lambda: law.parameters["s"],
        }  # fmt: skip
        ball = find_formula(name).ball(**{argument: known[argument]() for argument in arguments})
        return ball if isinstance(ball, arb) else ball.real

    return value


def _scaled(value: Value) -> Value:
    """A central moment of the estimate from that of the estimate over its mean."""
    return lambda law, extra: value(law, extra) * law.target() ** extra["order"]


def _log(value: Value) -> Value:
    return lambda law, extra: value(law, extra).log()


_PAPER = {"iid": "iid", "orthogonal": "orf", "simplex": "simrf"}
_POSITIVE, _TRIGONOMETRIC = ("m", "v", "x", "y"), ("m", "z")
_MSE: dict[tuple[str, str], Value] = {}
_MOMENTS: dict[tuple[str, str], Value] = {}
for _coupling, _name in _PAPER.items():
    _d = () if _coupling == "iid" else ("d",)
    _MSE["positive", _coupling] = _formula(f"prf_mse_{_name}", *_d, *_POSITIVE)
    _MSE["trigonometric", _coupling] = _formula(f"trig_mse_{_name}", *_d, *_TRIGONOMETRIC)
    _MOMENTS["positive", _coupling] = _scaled(_formula(f"prf_moment_{_name}", *_d, "n", "m", "v"))
    _MOMENTS["trigonometric", _coupling] = _formula(f"trig_moment_{_name}", *_d, "n", *_TRIGONOMETRIC)
    if _d:
        _MSE["gerf", _coupling] = _formula(f"gerf_{_name}_variance", "d", "A", "s", "v", "z", "m")
_MSE["oprf", "orthogonal"] = _formula("oprf_orf_variance", "d", "v", "z", "m")
_MSE["cosine", "iid"] = _formula("gaussian_phase_variance", "m", "z")
_GAPS = {("positive", "orthogonal"): _formula("prf_gap", "d", "m", "v", "x", "y"),
    ("trigonometric", "orthogonal"): _formula("trig_gap", "d", "m", "z")}  # fmt: skip


def _tail(name: str) -> Value:
    return lambda law, extra: tail_of(law, evaluate_real(extra["eps"]), SIDES[name])


_HAT = r"\widehat{K}"
QUANTITIES = {quantity.name: quantity for quantity
    in (Quantity("mean", "mean of the estimate", lambda law, _: law.mean(), rf"E {_HAT}"),
    Quantity("variance", "variance of the estimate", lambda law, _: law.variance(), rf"\mathrm{{Var}} {_HAT}",
        closed=_MSE),
    Quantity("mse", "mean squared error of the estimate", lambda law, _: law.mse(), rf"E ({_HAT} - K)^2",
        closed=_MSE),
    Quantity("relative_mse", "mean squared error over the square of the kernel", lambda law, _: law.relative_mse(),
        rf"E ({_HAT}/K - 1)^2"),
    Quantity("log_mse", "logarithm of the mean squared error", lambda law, _: law.log_mse(),
        rf"\log E ({_HAT} - K)^2", closed={key: _log(mse) for key, mse in _MSE.items()}),
    Quantity("gap", "mean squared error with independent rows minus that with these", lambda law, _: law.gap(),
        rf"E ({_HAT}_{{\mathrm{{iid}}}} - K)^2 - E ({_HAT} - K)^2", closed=_GAPS),
    Quantity("conformity", "mean of E exp((w_i + w_j).(x + y)) over pairs of rows", lambda law, _: law.conformity(),
        r"\frac{1}{m(m-1)} \sum_{i \neq j} E e^{(w_i + w_j) \cdot (x + y)}", needs_feature=False),
    Quantity("central_moment", "central moment of the estimate", lambda law,
        extra: central_moments_of(law, extra["order"])[extra["order"]], rf"E ({_HAT} - E {_HAT})^n", {"order": 3},
        _MOMENTS),
    Quantity("tail", "probability that the error of the estimate is at least eps", _tail("tail"),
        rf"P(|{_HAT} - K| \ge \epsilon)", {"eps": None}),
    Quantity("upper_tail", "probability that the estimate is above the kernel by at least eps", _tail("upper_tail"),
        rf"P({_HAT} - K \ge \epsilon)", {"eps": None}),
    Quantity("lower_tail", "probability that the estimate is below the kernel by at least eps", _tail("lower_tail"),
        rf"P(K - {_HAT} \ge \epsilon)", {"eps": None}),
    Quantity("mgf", "moment generating function of the estimate, E exp(t K^)", lambda law,
        extra: mgf_of(law, evaluate_real(extra["t"])), rf"E e^{{t {_HAT}}}", {"t": None}),
    Quantity("covariance", "covariance with the estimate of another feature map from the same rows", lambda law,
        extra: law.covariance(extra["other"]), rf"\mathrm{{Cov}}({_HAT}, {_HAT}')", {"other": None}))}  # fmt: skip


def find_quantity(name: str) -> Quantity:
    """The quantity with that name.

    Raises
    ------
    UnknownName : there is no such quantity.

    Examples
    --------
    >>> find_quantity("gap").says
    'mean squared error with independent rows minus that with these'
    """
    if name not in QUANTITIES:
        raise UnknownName("quantity", name, QUANTITIES)
    return QUANTITIES[name]
