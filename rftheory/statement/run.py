"""Judge all statements of a note in separate processes, so that a statement that takes too long can be ended."""

from __future__ import annotations

import io
import itertools
import multiprocessing
import sys
import time
from collections import deque
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from dataclasses import asdict, dataclass
from multiprocessing import connection
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

from rftheory.engine.processes import has_started, starting
from rftheory.errors import DeclarationFailed, InvalidInput, RFTheoryError, SamplerFailed
from rftheory.exact.limits import TimeIsUp, alarm, has_timer
from rftheory.index.plain import plain
from rftheory.judge.budget import POWER, Budget
from rftheory.judge.verdict import Decision, Evidence, Grade, Kind, Verdict, conclude
from rftheory.names import load_declared, plural, wrapped
from rftheory.statement.evidence.bench import KINDS, checked
from rftheory.statement.judging import FALSE_ALARM, Judged, judge, judged
from rftheory.statement.load import Unread, drop, line_of, load, unread_in
from rftheory.statement.mutate import WORDS
from rftheory.statement.samplers import Sampler
from rftheory.statement.statement import Note, Statement, is_note, note_of

TIME_LIMIT = 60.0
"""Time limit for one statement, in seconds."""
STARTS = 60.0
"""Time limit for a process to read the note, in seconds."""

GONE = "the process that judged it ended unexpectedly"
ALONE = "was it killed for memory? run it alone with --claim"
ENDED = "ended"
"""The detail of evidence that is missing because of that."""

Progress = Callable[[str, int, int], None]


def read_note(path: str | Path, seconds: float | None = None, leave_out: Container[int] = ()) -> Note:
    """The note in a file, read in at most so many seconds (in the main thread; None or 0: no limit).

    The statements of the file at these lines may be left out, as in `rftheory.statement.load.load`.

    Raises
    ------
    DeclarationFailed : the file cannot be read, or not in time, or no statement was; the message gives the line.
    InvalidInput : the file is not a note.

    Examples
    --------
    >>> read_note("no_such_note.py")
    Traceback (most recent call last):
    ...
    rftheory.errors.DeclarationFailed: no_such_note.py: no such file
    """
    load_declared()  # the limit is for what the file does itself
    start = time.monotonic()
    try:
        with alarm(seconds) if seconds and has_timer() else nullcontext():
            return _note_in(path, leave_out)
    except TimeIsUp as late:
        raise DeclarationFailed(
            str(path), line=line_of(late, Path(path).resolve()),
            problem=f"not read after {_taken(start, seconds):g} s",
            hint="let it do less, or allow more time with --time-limit",
        ) from late  # fmt: skip


def _note_in(path: str | Path, leave_out: Container[int]) -> Note:
    """The note in a file, which is refused if something was left out and no statement was read."""
    module = load(path, leave_out)
    unread = unread_in(module)
    if unread and not (is_note(module) and note_of(module).statements):
        drop(Path(path).resolve())
        raise unread[0].refusal(path)
    found = note_of(module)
    found.unread = unread
    return found


def _taken(start: float, limit: float | None) -> float:
    """The seconds that passed since the start: the limit, unless an import under way took much longer."""
    passed = time.monotonic() - start
    return limit if limit and passed < limit + 0.5 else round(passed, 1)


def budget_of(statements: Sequence[Statement]) -> Budget:
    """The false-alarm rate of a note, split over the tests of all its statements.

    Examples
    --------
    >>> budget_of(()).alpha
    1e-06
    """
    from rftheory.statement.sampled import count_of_tests
    from rftheory.statement.sampled_tails import count_of_bounds

    counts = (count_of_tests(one) + count_of_bounds(one) for one in statements)
    return Budget.of_run(FALSE_ALARM, max(1, sum(counts)))


def judge_note(
    path: str | Path, *, only: str | None = None, jobs: int = 1, mutate: bool = False, seed: int = 0,
    kinds: Sequence[str] = KINDS, effort: float = 1.0, time_limit: float = TIME_LIMIT,
    progress: Progress | None = None, start: BaseContext | None = None, leave_out: Container[int] = (),
) -> tuple[Judged, ...]:  # fmt: skip
    """Verdicts on the statements of a note, in its order.

    Parameters
    ----------
    path : the file.
    only : id of one statement.
    jobs : number of processes.
    mutate : whether to judge all changes of each statement too, each with the same time limit.
    seed, kinds, effort : as in `rftheory.statement.judging.judge`.
    time_limit : seconds for one statement, and for reading the file; 0: no limit, in this process.
    progress : called with the id of a finished statement, the number of finished ones, and the total.
    start : how processes start, as in `rftheory.engine.Processes`.
    leave_out : lines of the file that may be left out, as in `read_note`.

    Raises
    ------
    UnknownName : there is no such statement.

    Examples
    --------
    >>> judge_note("no_such_note.py")
    Traceback (most recent call last):
    ...
    rftheory.errors.DeclarationFailed: no_such_note.py: no such file
    """
    checked(kinds, effort)
    how = {"mutate": mutate, "seed": seed, "kinds": tuple(kinds), "effort": effort}
    found = read_note(path, time_limit, leave_out)
    chosen = found.select(only)
    if not time_limit:
        budget = budget_of(found.statements)
        done = []
        for number, statement in enumerate(chosen, 1):
            done.append(_guarded(statement, budget, how, None))
            if progress is not None:
                progress(statement.id, number, len(chosen))
        return tuple(done)
    begin = start or multiprocessing.get_context("spawn")
    unread = [one.line for one in found.unread]
    workers = [_Worker(path, how, unread, begin) for _ in range(max(1, min(jobs, len(chosen))))]
    return _by_workers(workers, chosen, time_limit * (8 if mutate else 1), progress)


def _by_workers(
    workers: Sequence[_Worker], chosen: Sequence[Statement], limit: float, progress: Progress | None
) -> tuple[Judged, ...]:
    """The verdicts that workers reach side by side, in the order of the statements; at the end no worker is left."""
    done: dict[str, Judged] = {}
    todo = deque(chosen)
    try:
        while len(done) < len(chosen):
            for worker in workers:
                if worker.statement is None and todo:
                    worker.give(todo.popleft(), limit)
            for worker in workers:
                result = worker.result()
                if result is not None:
                    done[result.id] = result
                    if progress is not None:
                        progress(result.id, len(done), len(chosen))
            busy = [worker.line for worker in workers if worker.statement is not None]
            if busy:
                connection.wait(busy, timeout=0.2)
    finally:
        for worker in workers:
            worker.end()
    return tuple(done[s.id] for s in chosen)


def _guarded(
    statement: Statement, budget: Budget, how: Mapping[str, Any], report: Callable[[Evidence], None] | None
) -> Judged:
    """The verdict; an error leaves only this statement undecided, with the reason."""
    try:
        return judge(statement, budget=budget, report=report, **how)
    except (Exception, SystemExit) as error:  # sympy raises many kinds of errors, and a note any
        says = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return judged(
            statement, conclude([Evidence(Kind.CERTIFIED, Decision.UNDECIDED, says)], claim=statement.id)
        )


def _gone(statement: Statement) -> SamplerFailed:
    return SamplerFailed(statement.id, problem=GONE, hint=ALONE)


class _Worker:
    """A process that has read the note and judges one statement after another."""

    def __init__(self, path: str | Path, how: Mapping[str, Any], unread: list[int], begin: Any) -> None:
        self.arguments, self.begin = (str(path), how, unread), begin
        self.statement: Statement | None = None
        self.pieces: list[Evidence] = []
        self._start()

    def _start(self) -> None:
        self.line, other = self.begin.Pipe()
        self.process = self.begin.Process(target=_serve, args=(other, *self.arguments), daemon=True)
        with starting():
            self.process.start()
        other.close()
        self.ready = False

    def give(self, statement: Statement, limit: float) -> None:
        self.statement, self.pieces, self.limit = statement, [], limit
        self.until = time.monotonic() + limit + (0 if self.ready else STARTS)
        try:
            self.line.send(statement.id)
        except OSError:
            raise _gone(statement) from None

    def result(self) -> Judged | None:
        """The verdict, once there is one: judged, or undecided because time is up."""
        statement = self.statement
        if statement is None:
            return None
        try:
            while self.line.poll():
                what, content = self.line.recv()
                if what == "reading done":
                    self.ready, self.until = True, time.monotonic() + self.limit
                elif what == "evidence":
                    self.pieces.append(content)
                elif what == "refused":
                    raise content
                else:
                    self.statement = None
                    return content  # type: ignore[no-any-return]
        except (EOFError, OSError):
            if not self.ready:
                raise _gone(statement) from None
            says = f"{GONE}; {ALONE}"
            late = Evidence(Kind.CERTIFIED, Decision.UNDECIDED, says, details={ENDED: True})
            return self._broken_off(statement, late)
        if time.monotonic() < self.until:
            return None
        if any(p.decision is Decision.FAILS and p.kind is not Kind.SAMPLED for p in self.pieces):
            self._restart()
            says = f"the search for what is right was stopped after {self.limit:g} s; a longer --time-limit may find it"
            return judged(statement, conclude(self.pieces, claim=statement.id), (says,))
        says = f"stopped after {self.limit:g} s; a longer --time-limit may decide"
        details = {"stopped after": self.limit}
        late = Evidence(Kind.CERTIFIED, Decision.UNDECIDED, says, seconds=self.limit, details=details)
        return self._broken_off(statement, late)

    def _broken_off(self, statement: Statement, late: Evidence) -> Judged:
        """The verdict from the evidence so far, of which ``late`` says what is missing."""
        self._restart()
        return judged(statement, conclude([*self.pieces, late], claim=statement.id))

    def _restart(self) -> None:
        self.end()
        self.statement = None
        self._start()

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.line.close()


def _serve(line: Any, path: str, how: Mapping[str, Any], unread: list[int]) -> None:
    """A worker; it ends without a word where the process that asks is gone, as after an interrupt."""
    # what samplers and programs print must not mix with the report
    with suppress(BrokenPipeError, ConnectionResetError), redirect_stdout(sys.stderr):
        _answer(line, path, how, unread)


def _answer(line: Any, path: str, how: Mapping[str, Any], unread: list[int]) -> None:
    """Read the note without the lines left out before, then judge the requested statements."""
    has_started()
    try:
        with redirect_stdout(io.StringIO()):  # what the note prints was printed at its first reading
            found = read_note(path, leave_out=unread)
    except RFTheoryError as error:
        line.send(("refused", error))
        line.poll(None)  # the next statement must not find the line closed
        return
    budget = budget_of(found.statements)
    known = {s.id: s for s in found.statements}
    line.send(("reading done", None))
    while True:
        try:
            asked = line.recv()
        except EOFError:
            return
        if (statement := known.get(asked)) is None:
            needs = "the same label whenever the note is read"
            line.send(("refused", InvalidInput(asked, needs=needs, got="a label that changes")))
            return
        result = _guarded(statement, budget, how, lambda piece: line.send(("evidence", piece)))
        line.send(("done", result))


# ---- the report ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoteReport:
    """The verdicts on a note.

    Attributes
    ----------
    note, results : its name, and the verdicts in its order.
    title : its title.
    samplers : its samplers, with what tested them.
    unread : what was left out of the file because it raised an error.

    Examples
    --------
    >>> NoteReport("n", ()).exit_code
    0
    """

    note: str
    results: tuple[Judged, ...]
    title: str = ""
    samplers: tuple[Sampler, ...] = ()
    unread: tuple[Unread, ...] = ()

    @property
    def exit_code(self) -> int:
        """1 if a statement fails that is not recorded to, or the reverse; otherwise 2 or 0.

        It is 2 if a recorded statement is undecided, evidence contradicts itself, a process ended before its verdict, a
        sampler has other rows than are declared, or a line was not read.
        """
        if any(r.verdict.decision is Decision.FAILS and r.expect != "fails" for r in self.results):
            return 1
        if any(
            r.verdict.decision is Decision.HOLDS and r.expect in ("fails", "undecided") for r in self.results
        ):
            return 1
        recorded = [r for r in self.results if r.expect in ("holds", "fails")]
        undecided = any(r.verdict.decision is Decision.UNDECIDED for r in recorded)
        broken = any(r.verdict.contradiction for r in self.results)
        ended = any(ENDED in piece.details for r in self.results for piece in r.verdict.evidence)
        other_rows = any(sampler.rows for sampler in self.samplers)
        return 2 if undecided or broken or ended or other_rows or self.unread else 0

    def text(self, explain: bool = False, columns: int | None = None) -> str:
        """A line for each statement with its reason, or with all its evidence if ``explain`` is set.

        Lines are broken at so many columns.
        """
        width = max((len(r.id) for r in self.results), default=0)
        lines: list[str] = []
        for result in self.results:
            for line in _in_words(result, width, explain):
                lines += wrapped(line, columns, " " * (width + 12))
        if lines and not explain:
            lines.append("")
        for more in (self.samplers, self.unread):
            for one in more:
                lines += wrapped(str(one), columns)
            lines += [""] * bool(more)
        return "\n".join(
            [*lines, *(line for one in self.summary().splitlines() for line in wrapped(one, columns))]
        )

    def summary(self) -> str:
        """Counts by verdict and grade, and counts of mutants."""
        alike = itertools.groupby(sorted(self.results, key=_grade), key=_grade)
        parts = ", ".join(_counted(list(group)) for _, group in alike)
        text = f"{self.note}: {plural(len(self.results), 'statement')}: {parts}"
        if differing := [r.id for r in self.results if r.expect and not r.as_expected]:
            text += f"; not as expected: {', '.join(differing)}"
        if self.unread:
            text += f"; {plural(len(self.unread), 'line')} not read"
        mutants = [fate for r in self.results for _, fate in r.mutants]
        if mutants:
            fates = ", ".join(f"{mutants.count(f)} {f}" for f in WORDS.values())
            text += f"\n{plural(len(mutants), 'change')} of the statements: {fates}"
        return text

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return {
            "schema": "rftheory.note/1",
            "note": self.note,
            "title": self.title,
            "exit_code": self.exit_code,
            "statements": [
                {
                    "id": r.id, "source": r.source, "statement": r.text, "latex": r.latex, "over": r.over,
                    "prints": r.prints, "expect": r.expect or None, "verdict": r.verdict.to_dict(),
                    "proposals": list(r.proposals), "mutants": [list(m) for m in r.mutants],
                    "why_open": r.why_open or None, "laws": dict(r.laws), "narrowing": list(r.narrowing),
                }
                for r in self.results
            ],
            "samplers": [asdict(sampler) for sampler in self.samplers],
            "not_read": [asdict(one) for one in self.unread],
        }  # fmt: skip


def _grade(result: Judged) -> str:
    decision, grade = result.verdict.decision, result.verdict.grade
    return str(decision) if grade is None or decision is Decision.FAILS else f"{decision} ({grade})"


def _counted(results: Sequence[Judged]) -> str:
    """How many statements have a verdict and its grade, and how many of them were expected not to hold."""
    decision, grade = results[0].verdict.decision, results[0].verdict.grade
    expected = 0 if decision is Decision.HOLDS else sum(r.as_expected for r in results)
    asides = [] if grade is None or decision is Decision.FAILS else [str(grade)]
    if expected:
        asides.append("as expected" if expected == len(results) else f"{expected} as expected")
    return decision.counted(len(results)) + (f" ({', '.join(asides)})" if asides else "")


def _agree(piece: Evidence) -> bool:
    """Whether the draws of a piece agree, which says something of a sampler and its declaration alone."""
    return piece.kind is Kind.SAMPLED and piece.effective is Decision.HOLDS


def _explained(piece: Evidence, indent: str) -> list[str]:
    """A piece of evidence with all its numbers; what draws would have shown is on a line of its own."""
    control = {True: "; planted error refuted", False: "; PLANTED ERROR NOT REFUTED", None: ""}[piece.control]
    said = "" if _agree(piece) else f"{piece.says}: "
    text, under = f"{said}{piece.summary}{control} ({piece.seconds:.1f} s)", f"{indent}{'':<10}"
    if how := piece.details.get("draws"):
        text = text.replace(f", {how}", f"\n{under}{how}")
    cited = [f"{indent}{'cited':<9} {name}" for name in piece.assumes]
    return [*f"{indent}{piece.kind:<9} {text}".splitlines(), *cited]


def _reasons(verdict: Verdict, indent: str) -> list[str]:
    """Why a verdict is what it is; under what supports a statement, draws that agree stand in a table."""
    agreeing = [piece for piece in verdict.evidence if _agree(piece) and "draws" in piece.details]
    if verdict.contradiction or verdict.grade is not Grade.SUPPORTED or not agreeing:
        return [f"{indent}{verdict.reason}"]
    others = [piece for piece in verdict.evidence if piece not in agreeing]
    reason = conclude(others, claim=verdict.claim).reason if others else "no proof for the whole domain"
    return [f"{indent}{reason}", *_drawn(agreeing, indent)]


def _drawn(agreeing: Sequence[Evidence], indent: str) -> list[str]:
    """Draws that agree, as a table: how many of what, and which errors they would have shown."""
    lines = []
    for how, group in itertools.groupby(agreeing, key=lambda piece: piece.details["draws"]):
        says = f"samplers agree with declarations; {how} each would show (p = {POWER}) an error of"
        lines.append(f"{indent}{'drawn':<9} {says}")
        lines += [f"{indent}{_share(piece):>15} of {piece.details['of']}" for piece in group]
    return lines


def _share(piece: Evidence) -> str:
    return f"{100 * piece.details['sees']:.2g} %"


def _in_words(result: Judged, width: int, explain: bool) -> list[str]:
    verdict = result.verdict
    aside = f"   ({result.aside})" if result.aside else ""
    lines = [f"{result.id:<{width}}  {_grade(result):<22} {verdict.seconds:5.1f} s   {result.text}{aside}"]
    indent = " " * (width + 2)
    if explain:
        lines += [f"{indent}{label:<9} {text}" for label, text in (
            ("source", result.source), ("prints", plain(result.prints)), ("over", result.over),
        ) if text]  # fmt: skip
        lines += [f"{indent}{'law':<9} {law} = {written}" for law, written in result.laws]
        for piece in verdict.evidence:
            lines += _explained(piece, indent)
    elif verdict.decision is not Decision.HOLDS:
        lines += _reasons(verdict, indent)
    lines += [f"{indent}{'over':<9} {what}" for what in result.narrowing]
    if result.why_open:
        lines.append(f"{indent}{'open':<9} {result.why_open}")
    lines += [f"{indent}{'nearby':<9} {proposal}" for proposal in result.proposals]
    for fate in WORDS.values():
        changes = [what for what, found in result.mutants if found == fate]
        if changes and (explain or fate == WORDS[Decision.UNDECIDED]):
            lines.append(f"{indent}{'changes':<9} {fate}: {'; '.join(changes)}")
    return lines + ([""] if explain else [])
