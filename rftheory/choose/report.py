"""Advice as text, as code that builds the winner, and as a plot."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftheory.choose.advice import Advice, Attention
from rftheory.choose.choice import Choice
from rftheory.choose.confirm import ALLOWED, Confirmation
from rftheory.choose.expected import TIME_UP
from rftheory.choose.measured import BOUNDED
from rftheory.errors import InvalidInput
from rftheory.names import plural, wrapped
from rftheory.sample.discrete import LAWS as COUNTS
from rftheory.spec import find_coupling

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OFF_CENTRE = 2.0
"""|x + y| over |x - y| from which on the data are said to lie far from 0; in data around 0 both are alike."""
UNEQUAL = 20.0
"""The ratio of standard deviations of two columns from which on it is mentioned."""
MOST_DECIMALS = 8
"""Numbers that need more are printed with an exponent."""
NAMED, MOST_REASONS = 3, 8
"""How many mechanisms that were left out are named with each reason, and how many reasons."""
LONGEST_HEADER = 60
"""The most letters of a header that are shown."""
VERDICTS = {
    "agrees": "agrees",
    "differs": "DIFFERS; please report this",
    "undecided": "undecided, because rare draws carry most of the expected error, and these are too few to show them",
}


def as_text(advice: Advice, rows: int = 10, *, everything: bool = False, width: int | None = None) -> str:
    """The comparison, the reasons, the check by sampling, and code.

    Of the mechanisms the best ``rows`` are shown and the others counted, unless ``everything`` is asked for. Sentences
    are broken at ``width``.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.choose import choose
    >>> text = as_text(choose(np.eye(3), features=12, lengthscale=1.0, exact_only=True))
    >>> text.splitlines()[0]
    'gaussian kernel, d = 3, length scale 1, 3 of 3 pairs; error: root mean square over that of the kernel'
    """
    head, brief = _head(advice), not everything
    rows = rows if brief else len(advice.choices)
    table: list[tuple[str, ...]] = [("mechanism", "rows m", "features", "operations", "memory", "error")]
    table += [_row(choice) for choice in advice.choices[:rows]]
    if advice.attention is not None:
        shares = ["sums <= 0", *(_percent(choice.lost) for choice in advice.choices[:rows])]
        table = [(*line, share) for line, share in zip(table, shares, strict=True)]
    widths = [max(len(line[k]) for line in table) for k in range(len(table[0]))]
    said = "header: the first line of a file holds words and is left out"
    begin = (*(f"{said}: {_short(header)}" for header in advice.headers), head, answer(advice))
    lines = [*_broken(begin, width), ""]
    for name, *numbers in table:
        cells = [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *cells]))
    if len(advice.choices) > rows:
        lines.append(f"... and {len(advice.choices) - rows} more (--all)")
    shown = advice.choices[:rows]
    if _in_order([c.at_most for c in shown]) and not _in_order([c.error for c in shown]):
        lines.append("order: by the error, plus two standard errors where it was measured")
    lines += [
        "",
        *_broken(reasons(advice, brief=brief), width),
        "",
        "code:",
        *("    " + line for line in code(advice.best, advice).splitlines()),
    ]
    return "\n".join(lines)


def _broken(sentences: Iterable[str], width: int | None) -> list[str]:
    return [line for sentence in sentences for line in wrapped(sentence, width)]


def _head(advice: Advice) -> str:
    """On what data which error was found, and how much of it was wanted."""
    scale, found = f"d = {advice.d}, length scale {advice.lengthscale:.4g}", advice.attention
    wanted = "" if advice.wanted is None else f"; wanted: {advice.wanted:g} at most"
    if found is None:
        of = f"{advice.pairs} of {plural(advice.pairs_total, 'pair')}"
        return (
            f"{advice.kernel} kernel, {scale}, {of}; error: root mean square over that of the kernel{wanted}"
        )
    of = f"{advice.pairs} of {plural(advice.pairs_total, 'query', 'queries')}, {plural(found.keys, 'key')}"
    error = "||A' V - A V|| / ||A V||" if found.values else "total variation distance of the weights"
    return f"attention, {scale}, {of}; error: {error}{wanted}"


def _in_order(values: list[float]) -> bool:
    return values == sorted(values)


def _row(choice: Choice) -> tuple[str, ...]:
    name = choice.name + (f", A = {_number(choice.parameters['A'])}" if "A" in choice.parameters else "")
    return (name, str(choice.rows), str(choice.features), str(choice.operations), _bytes(choice.memory),
            _error(choice.error, choice.standard_error and choice.uncertainty))  # fmt: skip


def _error(error: float, standard_error: float) -> str:
    """An error to the digits that its standard error, of two digits, leaves."""
    if not standard_error:
        return f"{error:.4g}"
    decimals = 1 - math.floor(math.log10(float(f"{standard_error:.1e}")))
    if not 0 <= decimals <= MOST_DECIMALS:
        return f"{error:.4g} +- {standard_error:.2g}"
    return f"{error:.{decimals}f} +- {standard_error:.{decimals}f}"


def _number(value: Any) -> str:
    return "by coordinate" if isinstance(value, tuple) else f"{value:.4g}"


def _bytes(size: int) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.4g} {unit}"
        size = size / 1024  # type: ignore[assignment]
    raise AssertionError


def reasons(advice: Advice, *, brief: bool = False) -> list[str]:
    """Why the winner wins, how certain that is, and what was left out, which is only counted if ``brief`` is set.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.choose import choose
    >>> reasons(choose(np.eye(3), features=12, lengthscale=1.0, exact_only=True))[0].startswith("best: ")
    True
    """
    best = advice.best
    lines = hints(advice)
    if advice.stopped:
        late = sum(skipped.reason == TIME_UP for skipped in advice.skipped)
        unchecked = "the best had been drawn once more"
        what = (
            f"{plural(late, 'mechanism')} had been compared" if late else "the best had been drawn more often"
        )
        if advice.confirmation is None:
            what = f"{what}, and {unchecked}" if late else unchecked
        lines.append(f"time: up after {advice.stopped:g} s, before {what}; --time-limit allows more")
    v, z = advice.sum_norm, advice.difference_norm
    if advice.kernel == "gaussian" and v > OFF_CENTRE * z:
        lines.append(f"hint: |x + y| is {v:.3g} because the data lie far from 0; subtract the mean of each column, in"
                     " Python X - X.mean(0): the kernel stays the same, exponential features get better")  # fmt: skip
    lines.append(_best(advice))
    waves, grown = f"|x - y| is {z:.3g}", f"|x + y| is {v:.3g}"
    if best.feature in ("trigonometric", "cosine"):
        lines.append(f"why: {waves} and {grown} (root mean squares); errors of trigonometric features grow with the"
                     " former, errors of exponential features with the latter")  # fmt: skip
    else:
        lines.append(
            f"why: {grown} and {waves} (root mean squares); exponential features are exact if the former is 0"
        )
    independent = next((c for c in advice.choices if c.feature == best.feature and c.coupling == "iid"), None)
    if independent is not None and best.coupling != "iid":
        lines.append(_gain(advice, independent))
    if find_coupling(best.coupling).norms == "fixed" or not find_coupling(best.coupling).marginal:
        lines.append(
            f"bias: {best.coupling} rows are not normal; the error does not go to 0 with more of them"
        )
    lines += _of_kernel(advice) if advice.attention is None else _of_attention(advice, advice.attention)
    if advice.pairs < advice.pairs_total:
        lines += _pairs(advice)
    else:
        lines.append(f"{advice.ones}: all of them")
    found = advice.confirmation
    if found is not None:
        lines.append(f"sampled: {_beside(found)}")
    if advice.doubts:
        lines.append(f"not confirmed, exit code 2: {'; '.join(advice.doubts)}")
    return lines + (_counted(advice) if brief else _left_out(advice))


def answer(advice: Advice) -> str:
    """The answer in one line.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.choose import choose
    >>> answer(choose(np.eye(3), features=12, lengthscale=1.0, exact_only=True)).startswith("answer: ")
    True
    """
    best = advice.best
    if advice.loses_to_equal_weights:
        return "answer: none of the mechanisms; equal weights, which need no features, have a smaller error"
    shown = _error(best.error, best.standard_error and best.uncertainty)
    found = f"{best.name} with {plural(best.features, 'feature')}"
    if advice.is_useless:
        none = "none of those compared in time" if advice.stopped else "none"
        instead = f"{_nothing(advice)} has {advice.of_nothing:.3g}"
        return f"answer: {none} is useful: {found} has the error {shown}, {instead}"
    doubts = "" if advice.stands else " (not confirmed, see below)"
    return f"answer: {found}, error {shown}{doubts}"


def _nothing(advice: Advice) -> str:
    """The estimate that needs no features."""
    return (
        "the estimate 0, without features,"
        if advice.attention is None
        else "that of equal weights, without features,"
    )


def _instead(advice: Advice) -> str:
    """What to do about errors that are too large."""
    ways = [f"ask for more features than {advice.best.features}",
            f"name a larger --lengthscale than {advice.lengthscale:.4g}, which makes the kernel flatter"]  # fmt: skip
    if advice.kernel == "gaussian":
        ways.append("standardise the columns")
    elif advice.attention is None:
        ways.append("take the Gaussian kernel, without --kernel softmax: its estimates by waves are bounded")
    return "; or ".join(ways)


def _best(advice: Advice) -> str:
    """The winner, or that it is none."""
    best, found = advice.best, advice.attention
    with_rows = f"{best.name} with {plural(best.rows, 'row')}"
    if found is None or not advice.loses_to_equal_weights:
        return f"best: {with_rows}"
    return (f"best: none: equal weights need no features and have the error {found.equal:.3g}; the best mechanism,"
            f" {with_rows}, has {best.error:.3g}")  # fmt: skip


def _gain(advice: Advice, independent: Choice) -> str:
    best = advice.best
    if advice.attention is not None or not best.error:  # the error need not fall like m^(-1/2)
        return f"coupling: with {plural(independent.rows, 'independent row')} the error is {independent.error:.3g}"
    gain = (independent.error / best.error) ** 2 * independent.rows / best.rows
    return f"coupling: independent rows reach the same error with {gain:.3g} times as many rows"


def _of_kernel(advice: Advice) -> list[str]:
    """What is said of errors of the kernel: whether they are useful, and whether they have a law."""
    best, lines = advice.best, []
    if advice.is_near_nothing:
        lines.append(f"warning: the estimate 0 has the error 1 and needs no features: {_instead(advice)}")
    if best.standard_error:
        lines.append(f"law: none for this mechanism, so its error was measured; it is ranked by {best.at_most:.4g},"
                     " which adds two standard errors of the draws (those in the table include the choice of"
                     " pairs)")  # fmt: skip
        exact = next((c for c in advice.choices if not c.standard_error), None)
        if exact is not None:
            lines.append(
                f"best with a law: {exact.name} with {plural(exact.rows, 'row')}, error {exact.error:.4g}"
            )
    return lines


def _of_attention(advice: Advice, found: Attention) -> list[str]:
    """What is said of errors of attention: whether they are useful, what they are of, and the law of the kernel."""
    best = advice.best
    lines = ["law: none for errors of attention, so all were measured; the ranking adds two standard errors of the"
             " draws (those in the table include the choice of queries)"]  # fmt: skip
    equal = f"equal weights for all keys have the error {found.equal:.3g} and need no features"
    if advice.wanted is not None and found.equal <= advice.wanted:
        lines.append(f"warning: {equal}, and reach the error wanted: ask for a smaller one")
    elif advice.loses_to_equal_weights:
        lines.append(f"hint: {_instead(advice)}")
    elif advice.is_near_nothing:
        lines.append(f"warning: {equal}: {_instead(advice)}")
    else:
        lines.append(f"without features: {equal}")
    if best.features >= found.keys_total:
        lines.append(f"warning: exact attention over {plural(found.keys_total, 'key')} takes no more products than"
                     f" {best.features} features")  # fmt: skip
    if best.lost:
        lines.append(f"signs: the estimated weights of {_percent(best.lost)} of the queries and draws have no positive"
                     " sum; each counts with the largest error that positive weights can have")  # fmt: skip
    if found.keys < found.keys_total:
        lines.append(f"keys: {found.keys} of {found.keys_total}, drawn at random: errors are those of attention over"
                     " these")  # fmt: skip
    if found.law is None:
        lines.append("kernel: its estimates were not compared with a law")
    else:
        no_law = f"{best.coupling} has no law; with independent rows instead, the error of the estimates"
        whose = no_law if found.independent else "error of its estimates"
        lines.append(f"kernel: {whose}: {_beside(found.law)}")
    return lines


def _beside(found: Confirmation) -> str:
    """Measured and expected error, and what follows."""
    both = (f"{_error(found.measured, found.error)} with {plural(found.rows, 'row')}, expected"
            f" {_error(found.expected, found.expected_error)}")  # fmt: skip
    if found.seen:  # else standard errors are those of the draws that were seen, and say nothing
        both += f", {found.apart:.1f} standard errors apart ({ALLOWED} are allowed)"
    return f"{both}: {VERDICTS[found.verdict]}"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"


def _reasons_left_out(advice: Advice) -> dict[str, list[str]]:
    """For each reason, the mechanisms and parts of mechanisms that are not in the table."""
    names: dict[str, list[str]] = {}
    for skipped in advice.skipped:
        if not skipped.lawless:
            names.setdefault(skipped.reason, []).append(skipped.name)
    return names


def _counted(advice: Advice) -> list[str]:
    """One line that counts what is not in the table."""
    names = _reasons_left_out(advice)
    if not names:
        return []
    count = plural(sum(map(len, names.values())), "mechanism or part of one", "mechanisms or parts of them")
    return [f"left out: {count}, for {plural(len(names), 'reason')} (--all lists them)"]


def _left_out(advice: Advice) -> list[str]:
    """One line for each reason why mechanisms are not in the table."""
    names, lines = _reasons_left_out(advice), list[str]()
    for reason, found in list(names.items())[:MOST_REASONS]:
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        lines.append(f"left out: {', '.join(found[:NAMED])}{more}: {reason}")
    if len(names) > MOST_REASONS:
        lines.append(f"left out: others, for {plural(len(names) - MOST_REASONS, 'more reason')}: see --json")
    return lines


def _pairs(advice: Advice) -> list[str]:
    """How much the choice of pairs matters: by their spread, and by others."""
    ones = advice.ones
    line = f"{ones}: their choice gives this error a relative standard error of {100 * advice.sampling_error:.2g} %"
    found, seen, best = advice.confirmation, advice.elsewhere, advice.best
    if found is None or seen is None:
        return [line]
    lines = [
        f"{line}; for others it is {_error(seen.error, seen.standard_error)} with {plural(seen.rows, 'row')}"
    ]
    if advice.raised_from is not None:
        lines.append(f"rows: {advice.raised_from} reach the error wanted for the {ones} that were compared, but not for"
                     f" others, so {best.rows} are taken; the other mechanisms in the table have the rows that the"
                     f" compared {ones} need")  # fmt: skip
    if advice.misses_elsewhere:
        lines.append(f"warning: other {ones} miss the error wanted, {advice.wanted:g}: ask for a smaller one, or"
                     f" compare more, with --pairs {10 * advice.pairs}")  # fmt: skip
    if advice.has_heavy_tails:
        bounded = next((c for c in advice.choices if c.feature in BOUNDED and c is not best), None)
        other = f"; with bounded estimates, {bounded.name} has {bounded.error:.3g}" if bounded else ""
        lines.append(f"warning: heavy tails: a few of the other {ones} carry this error, and rarer ones may add more"
                     f" than its standard error suggests{other}")  # fmt: skip
    if advice.rests_on_rare_pairs:
        times = f"{seen.error / found.expected:.2g} times"
        lines.append(f"warning: that is {times} the expected error: rare {ones} carry much of it; compare more, with"
                     f" --pairs {10 * advice.pairs}")  # fmt: skip
    return lines


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_HEADER else text[: LONGEST_HEADER - 4] + " ..."


def hints(advice: Advice) -> list[str]:
    """Hints on the data: a class label, constant or unequal columns, rows far out."""
    lines = [_hint(advice)] if advice.classes is not None else []
    if advice.dropped:
        lines.append(f"missing: {plural(advice.dropped, 'row')} with missing values left out")
    lines += _scales(advice)
    found = advice.outliers
    if found is not None:
        far = f"{plural(found.rows, 'row')} far out: the largest norm is {found.largest:.3g}"
        what = "drop such rows, standardise the columns, or name a --lengthscale"
        lines.append(f"hint: {far}, the median {found.median:.3g}; {what}")
    return lines


def _scales(advice: Advice) -> list[str]:
    """Hints on columns that carry nothing, and on those that carry nearly everything."""
    found = advice.scales
    if found is None:
        return []
    lines = []
    of = "" if advice.columns is None else " of those chosen"
    if found.constant:
        columns, one = ", ".join(map(str, found.constant)), len(found.constant) == 1
        are = (
            f"column {columns}{of} is constant and carries"
            if one
            else f"columns {columns}{of} are constant and carry"
        )
        lines.append(f"hint: {are} no information; leave {'it' if one else 'them'} out")
    if found.ratio > UNEQUAL:
        lines.append(f"hint: the standard deviation of column {found.largest}{of} is {found.ratio:.3g} times that"
                     f" of column {found.least}, which hardly counts; divide each column by its own, in Python"
                     " X / X.std(0), unless the units mean something")  # fmt: skip
    return lines


def _hint(advice: Advice) -> str:
    which = f"column {advice.d}" if advice.columns is None else f"column {advice.d} of those chosen"
    how = f" with --columns 1-{advice.d - 1}" if advice.columns is None else " of --columns"
    return (
        f"hint: {which}, the last one, has {advice.classes} whole numbers as values and looks like a class label;"
        f" leave it out{how}, in Python X[:, :-1]"
    )


def code(choice: Choice, advice: Advice) -> str:
    """Code that builds the features of a mechanism: with this package, for scikit-learn, and for torch.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.choose import choose
    >>> found = choose(np.eye(3), features=12, lengthscale=1.0, exact_only=True)
    >>> "random_features(" in code(found.best, found), "X, X, " in code(found.best, found)
    (True, True)
    """
    options = "".join(f", {name}={value!r}" for name, value in choice.parameters.items())
    parameters = f", parameters={choice.parameters!r}" if choice.parameters else ""
    named = advice.lengthscale != 1
    scale = " / lengthscale" if named else ""
    second = "X" if advice.tables == 1 else "Y"
    names = f'"{choice.feature}", "{choice.coupling}"'
    attends = advice.attention is not None and choice.feature not in COUNTS
    if attends:
        use = f'attended = linear_attention(mechanism, Stream.named("mine"), X{scale}, Y{scale}, V)'
    else:
        use = f'gram = mechanism.gram(Stream.named("mine"), range(1), X{scale}, {second}{scale}, "{advice.kernel}")[0]'
    lines = [
        *([f"lengthscale = {advice.lengthscale!r}"] if named else []),
        f"from rftheory.sample import Stream, {'linear_attention, ' * attends}random_features",
        f"mechanism = random_features({names}, {choice.rows}, d={advice.d}{options})",
        use,
        "",
        "from rftheory.interop.sklearn import RandomFeatureTransformer",
        f"RandomFeatureTransformer({names}, {choice.features}, lengthscale={'lengthscale' if named else '1.0'},"
        f' kernel="{advice.kernel}"{parameters})',
    ]
    if choice.feature not in COUNTS:
        lines += [
            "",
            "from rftheory.interop.torch import RandomFeatures  # of inputs divided by the length scale",
            f'RandomFeatures({advice.d}, {choice.rows}, {names}, kernel="{advice.kernel}"{parameters})',
        ]
    return "\n".join(lines)


def figure_of(advice: Advice) -> Figure:
    """The cost of each feature map with its best coupling, and with independent projections.

    The cost is the number of features with the same error as the best mechanism, relative to the number for the best
    one; errors are assumed to fall like one over the root of the number of features.
    """
    from rftheory.figures.style import new_figure

    best: dict[str, Choice] = {}
    for choice in advice.choices:
        best.setdefault(choice.feature, choice)
    independent = {choice.feature: choice for choice in advice.choices if choice.coupling == "iid"}
    every = [_cost(c, advice.best) for name, one in best.items() for c in (one, independent.get(name, one))]
    middle = math.sqrt(min(every) * max(every))
    figure, axes = new_figure(height=0.9 + 0.38 * len(best))
    for place, (name, choice) in enumerate(best.items()):
        costs = [_cost(one, advice.best) for one in (choice, independent.get(name, choice))]
        axes.plot(costs, [place, place], color="#bbbbbb", zorder=1)
        axes.plot(costs[1], place, "o", color="#6b6b6b", label="independent" if not place else None)
        axes.plot(costs[0], place, "s", color="#d55e00", label="best coupling" if not place else None)
        side = "right" if costs[0] > middle else "left"  # so that a label stays inside
        axes.annotate(
            choice.coupling, (costs[0], place), (0, 5), textcoords="offset points", fontsize=7, ha=side
        )
    axes.set_yticks(range(len(best)), list(best))
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="features for the same error, times those of the best")
    axes.margins(0.12, 0.12)
    axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    return figure


def _cost(choice: Choice, best: Choice) -> float:
    times = choice.error / best.error if best.error else 1.0  # of one key, no mechanism has an error
    return times**2 * choice.features / best.features


def file_of_plot(path: str | Path) -> Path:
    """Return the file that `draw` writes: a PNG where the name ends in no form of figures.

    Examples
    --------
    >>> [str(file_of_plot(path)) for path in ("costs.svg", "costs", "costs.of.X")]
    ['costs.svg', 'costs.png', 'costs.of.X.png']
    """
    from rftheory.figures.style import FORMS

    file = Path(path)
    if not file.name:
        raise InvalidInput("--plot", needs="the name of a file", got=str(path))
    return file if file.suffix.lower() in FORMS else file.with_name(file.name + next(iter(FORMS)))


def draw(advice: Advice, path: str | Path) -> Path:
    """Save the plot of an advice in the form that the name ends in, and return the file."""
    from rftheory.figures.style import save_as

    return save_as(figure_of(advice), file_of_plot(path))
