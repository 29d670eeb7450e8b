"""Everything needed to write a note, in one flat module: declarations of mechanisms, and statements about them.

    from rftheory.author import Rows, coupling, d

    MIRRORED = coupling(
        "mirrored", "a frame and its negative, with shared norms", "a paper", rows=[Rows(d), Rows(d, sign=-1)],
    )

    @MIRRORED.sampler
    def mirrored(frame, norms, xp):
        rows = frame * norms[..., None]
        return xp.concat((rows, -rows), axis=-2)

The declaration is data, from which everything exact follows; the sampler is written separately and never reads it,
so their agreement is evidence. From then on the name works everywhere. `load` reads a file.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any

import sympy
from sympy import I, Rational, Symbol, oo

from rftheory import names, sample, spec
from rftheory.errors import InvalidInput, OutsideDomain, SamplerFailed, UnknownName
from rftheory.sample.arrays import array_namespace
from rftheory.sample.features import FeatureMap, Terms, kernel_offset
from rftheory.sample.from_frame import Count, FromFrame, dimension, layout
from rftheory.sample.from_function import FromFunction, parameters_of
from rftheory.sample.maps import MAKERS
from rftheory.sample.norms import ANTIMONOTONE, CHI, FIXED, NormLaw, opposite_norms
from rftheory.spec import Parameter, Relation, Rows, Table, Term
from rftheory.spec.coupling import from_relation
from rftheory.spec.dimension import d
from rftheory.spec.expressions import exact_in, is_whole
from rftheory.spec.feature_map import k, v, x, y
from rftheory.spec.relation import EQUAL, INDEPENDENT, OPPOSITE, ORTHOGONAL
from rftheory.spec.rows import FRAME, i
from rftheory.statement.load import load, loaded
from rftheory.statement.operations import operations
from rftheory.statement.statement import note, statement
from rftheory.statement.words import (
    Max,
    Min,
    O,
    average,
    central_moment,
    conformity,
    cos,
    cosh,
    cosine,
    counted,
    covariance,
    decreasing,
    equal,
    exp,
    for_some,
    formula,
    gamma,
    gap,
    gaussian,
    gerf,
    hyperbolic,
    iid,
    increasing,
    limit,
    log,
    lower_tail,
    m,
    mean,
    mgf,
    mse,
    oprf,
    orthogonal,
    orthogonal_fixed,
    positive,
    probability,
    simplex,
    sin,
    sinh,
    sqrt,
    table,
    tail,
    trigonometric,
    upper_tail,
    variance,
    with_features,
    z,
)

__all__ = [
    "ANTIMONOTONE", "CHI", "EQUAL", "FIXED", "INDEPENDENT", "OPPOSITE", "ORTHOGONAL", "DeclaredCoupling", "DeclaredMap",
    "FeatureMap", "I", "InvalidInput", "Max", "Min", "O", "OutsideDomain", "Parameter", "Rational", "Relation", "Rows",
    "Symbol", "Table", "Term", "Terms", "array_namespace", "average", "central_moment", "conformity", "cos", "cosh",
    "cosine", "counted", "coupling", "covariance", "d", "decreasing", "equal", "exp", "feature_map", "for_some",
    "forget", "formula", "gamma", "gap", "gaussian", "gerf", "hyperbolic", "i", "iid", "increasing", "k",
    "kernel_offset", "limit", "load", "loaded", "log", "lower_tail", "m", "mean", "mgf", "mse", "note", "oo",
    "operations", "opposite_norms", "oprf", "orthogonal", "orthogonal_fixed", "positive", "probability", "simplex",
    "sin", "sinh", "sqrt", "statement", "table", "tail", "trigonometric", "upper_tail", "v", "variance",
    "with_features", "x", "y", "z",
]  # fmt: skip


class DeclaredCoupling(spec.Coupling):
    """A declared coupling, to which a sampler can be added. A second one is another one, even of the same functions.

    Examples
    --------
    >>> from rftheory.mechanisms.mirrored import MIRRORED
    >>> MIRRORED.size(3), sample.coupling("mirrored").name
    (6, 'mirrored')
    """

    # a function that is declared again may give something else than before, by what is around it
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def sampler(
        self,
        build: Any = None,
        *,
        axes: Count = dimension,
        norms: Count = dimension,
        norm_law: NormLaw = CHI,
    ) -> Any:
        """Register the decorated function as the sampler (see `rftheory.sample.FromFrame`), and return it.

        It is given orthonormal axes, or independent ones if the coupling is declared with ``cosine=None``. An object
        with methods ``draw`` and ``onto`` of its own (`rftheory.sample.Coupling`) is registered as it is.

        Raises
        ------
        SamplerFailed : the function, tried in a small dimension, fails or returns no rows.
        InvalidInput : it returns another number of rows than is declared, or an option is not what it must be.
        """
        if build is None:
            return lambda found: self.sampler(found, axes=axes, norms=norms, norm_law=norm_law)
        own = hasattr(build, "draw") and hasattr(build, "onto")
        given = (self.name, build, axes, norms, norm_law, self.min_dim)
        law = build if own else FromFrame(*given, independent=self.cosine is None)
        if isinstance(law, FromFrame):
            self._require_rows_of(law, max(2, self.min_dim))
        sample.register_coupling(law)
        return build

    def _require_rows_of(self, law: FromFrame, d: int) -> None:
        """Try a sampler in a small dimension, and compare what it takes and returns with the declaration."""
        declared = self.block(d)
        norms = len({row.norm for row in declared})
        try:
            rows = layout(law, d).rows
        except SamplerFailed as problem:
            if law.norms(d) == norms:
                raise
            hint = f"{problem.hint}, and the declaration has {norms} norms: say .sampler(norms=lambda d: ...)"
            raise SamplerFailed(self.name, problem=problem.problem, hint=hint) from problem
        if rows != len(declared):
            raise InvalidInput(f"sampler of {self.name}", got=f"{rows} rows",
                               needs=f"{len(declared)} rows at d = {d}, as declared")  # fmt: skip


class DeclaredMap(spec.FeatureMap):
    """A declared feature map, to which a sampler can be added.

    Examples
    --------
    >>> from rftheory.mechanisms.anisotropic import ANISOTROPIC
    >>> sample.feature_map("anisotropic", A=(-0.1, 0.0)).name, [one.name for one in ANISOTROPIC.parameters]
    ('anisotropic', ['A'])
    """

    def sampler(self, made: Any) -> Any:
        """Register the decorated function, or subclass of `FeatureMap`, as the sampler, and return it.

        `rftheory.sample.FromFunction` describes the function. The fields of a class are the parameters.
        """
        if inspect.isclass(made):
            maker: Any = made
            fixed = not self.parameters
        else:
            maker, fixed = partial(FromFunction.of, self.name, made), not parameters_of(made)
        sample.register_map(self.name, maker() if fixed else maker)
        return made


def coupling(
    name: str,
    says: str = "",
    source: str = "",
    *,
    rows: Any = FRAME,
    relation: Callable[[int, int, int], Relation] | None = None,
    **options: Any,
) -> DeclaredCoupling:
    """Declare a coupling by the rows of a block, or by the relation between any two of them.

    Parameters
    ----------
    name, says, source : one word, one line, and where it comes from.
    rows : the rows of a block, `Rows` or a list of such; with ``relation``, their number, such as ``2 * d``. What is
        stated for all d can be proved of `Rows` only; a relation is known in each dimension by itself.
    relation : a function of i, j and d that gives the relation between the rows i and j, numbered from 0.
    options : other fields of `rftheory.spec.Coupling`: ``cosine``, ``norms``, ``min_dim``, ``aliases``, ...

    Raises
    ------
    InvalidInput : another coupling has the name. (The module that declared it may do so again; what was stated of the
        former one is then refused where it is judged.)
    UnknownName : there is no such option.

    Examples
    --------
    >>> from rftheory.author import ORTHOGONAL, OPPOSITE, coupling, d
    >>> CROSS = coupling(
    ...     "cross", "the same as the cross-polytope", "ours", rows=2 * d,
    ...     relation=lambda i, j, d: OPPOSITE if abs(i - j) == d else ORTHOGONAL,
    ... )
    >>> @CROSS.sampler(norms=lambda d: 2 * d)
    ... def cross(frame, norms, xp):
    ...     return norms[..., None] * xp.concat((frame, -frame), axis=-2)
    >>> sorted((relation.name, count) for relation, count in CROSS.pairs(3, 6).items())
    [('opposite', 3), ('orthogonal', 12)]
    >>> forget("cross")
    """
    _may_declare("coupling", name, spec.COUPLINGS, sample.COUPLINGS)
    _require_options("coupling", spec.Coupling, options)
    if relation is not None:
        if "cosine" in options:
            raise InvalidInput(
                f"cosine of {name}", needs="a relation or a cosine, not both", got=options["cosine"]
            )
        options["cosine"], rows = from_relation(_count(name, rows), relation)
    declared = DeclaredCoupling(name, says, source, rows, **options)
    spec.declare_coupling(declared)
    return declared


def _require_options(word: str, kind: type, options: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(kind)]
    for option in options:
        if option not in known:
            raise UnknownName(f"option of {word}", option, known)


_BUILT_IN = frozenset((*spec.COUPLINGS, *spec.MAPS))


def _may_declare(kind: str, name: str, *registries: dict[str, Any]) -> None:
    """Let a module declare a name of its own again: a notebook cell may run twice, a file may be read twice."""
    names.load_declared()  # the name may already be one of ours
    word, module = names.spelled(name), sys._getframe(2).f_globals.get("__name__", "")
    if names.DECLARED_BY.get((kind, word)) == module:
        for registry in registries:
            registry.pop(word, None)
    elif not any(word in registry for registry in registries):
        names.DECLARED_BY[kind, word] = module


def _count(name: str, rows: Any) -> sympy.Expr:
    needs = "with relation=, the number of rows: an integer, or an expression in d that is one"
    count = exact_in(f"rows of {name}", rows, {d}, needs)
    if not is_whole(count):
        raise InvalidInput(f"rows of {name}", needs=needs, got=rows)
    return count


def feature_map(
    name: str,
    says: str = "",
    source: str = "",
    *terms: Term,
    parameters: tuple[Parameter, ...] = (),
    chosen: Mapping[str, sympy.Expr] | None = None,
    **options: Any,
) -> DeclaredMap:
    """Declare a feature map by the terms of its estimate for a pair of inputs.

    Parameters
    ----------
    name, says, source : one word, one line, and where it comes from.
    terms : in the coordinates `x` and `y` of the inputs and in the symbols of the parameters.
    parameters, chosen, options : see `rftheory.spec.FeatureMap`: ``table``, ``norm``, ``aliases``.

    Raises
    ------
    InvalidInput : another map has the name (the module that declared it may do so again; what was stated of the former
        one is then refused where it is judged), a term is not a `Term`, or the terms contain an undeclared symbol.
    UnknownName : there is no such option.

    Examples
    --------
    >>> from rftheory.author import Term, feature_map, x, y
    >>> ONE_SIDED = feature_map("one-sided", "doctest", "ours", Term(x + y, -(x**2 + y**2) / 2), norm="v")
    >>> @ONE_SIDED.sampler
    ... def one_sided(projected, squares):
    ...     return projected - squares / 2
    >>> sample.Mechanism("one-sided", "mirrored", 8).name
    'one-sided-mirrored-8'
    >>> forget("one-sided")
    """
    wrong = [term for term in terms if not isinstance(term, Term)]
    if wrong:
        raise InvalidInput(
            f"terms of {name}", needs="Term(...), Term(...), one after the other", got=wrong[0]
        )
    _require_options("feature_map", spec.FeatureMap, options)
    _may_declare("feature map", name, spec.MAPS, sample.FEATURE_MAPS, MAKERS)
    declared = DeclaredMap(name, says, source, terms, parameters=parameters, chosen=chosen or {}, **options)
    spec.declare_map(declared)
    return declared


def forget(name: str) -> None:
    """Remove a declared coupling or map, and its sampler, from the registries.

    Raises
    ------
    InvalidInput : it is one of ours, which closed forms know by its name.

    Examples
    --------
    >>> FLEETING = coupling("fleeting", "an orthogonal block", "ours")
    >>> forget("fleeting")
    >>> "fleeting" in spec.COUPLINGS
    False
    """
    word = names.spelled(name)
    if word in _BUILT_IN:
        raise InvalidInput("forget", needs="the name of a declaration of yours", got=name)
    for registry in (spec.COUPLINGS, sample.COUPLINGS, spec.MAPS, sample.FEATURE_MAPS, MAKERS):
        registry.pop(word, None)  # type: ignore[attr-defined]
    for kind, aliases in names.ALIASES.items():
        names.DECLARED_BY.pop((kind, word), None)
        names.WORDS.get(kind, set()).discard(word)
        for alias in [one for one, of in aliases.items() if of == word]:
            del aliases[alias]
