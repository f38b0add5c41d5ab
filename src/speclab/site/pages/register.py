"""The page of the register: every number with what it is, how sure, where from, and who uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.errors import CheckError, InputError
from speclab.evidence.claims import Claim, Computed
from speclab.records.reader import run_folders, run_homes
from speclab.site.building import current, shown_fault
from speclab.site.figures.reported import PAIRS
from speclab.site.html import Html, code, link, table, text
from speclab.site.pages.disturbed import DISTURBED, SAYS, disturbed_tables
from speclab.site.pages.run import NOT_SEARCHED
from speclab.site.runs import run_link
from speclab.site.sources import pages, uses
from speclab.site.uses import place_for_uses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclab.evidence.entries import Numbered
    from speclab.evidence.register import Register
    from speclab.evidence.values import Value

_INTRODUCTION = f"""{NOT_SEARCHED}# Register

Every number of these pages, with its interval, the run it comes from and the pages that use it. The line under a
number tells its class: *measured* solid, *computed* dashed, *reported* double, *given* dotted.
"""
SECTIONS = (
    (
        "Measured",
        "measured",
        "From the rows of a run, with its interval; where there is none, the reason stands there.",
    ),
    ("Computed", "computed", "By the cost model, or by arithmetic on the numbers that are named."),
    (
        "Reported",
        "reported",
        "By others, on another pair and another machine. Shown as printed, not measured here.",
    ),
    (
        "Given",
        "given",
        "By a plan, by the models' configuration, or by `research/given.toml`, each with its reason.",
    ),
)


def register_page() -> str:
    """Markdown of the page; its tables are finished HTML, so that every line has an anchor that can be checked."""
    register = current().register
    values: list[tuple[Numbered | None, Value]] = []
    without: list[tuple[Html, Html]] = []
    for address, entry in addresses(register).items():
        try:
            value = register.value(address)
            value.show()
        except (CheckError, InputError) as error:
            # Named again where a page asks for it, and by `speclab evidence check`.
            why = str(error).replace(f"{register.repository}/", "")
            without.append((Html(f'<span id="{text(address)}">–</span>'), Html(shown_fault(address, why))))
        else:
            values.append((entry, value))
    parts = [_INTRODUCTION]
    for heading, value_class, says in SECTIONS:
        rows = [_row(register, entry, value) for entry, value in values if value.value_class == value_class]
        if rows:
            columns = ("number", "what it is")
            parts += [f"## {heading}", says, table(f"Numbers that are {value_class}", columns, "ll", rows)]
    if without:
        parts += ["## Without a value", table("Numbers that cannot be had", ("number", "why"), "ll", without)]
    parts += ["## Runs", _runs(register), f"## {DISTURBED}", SAYS, disturbed_tables(register)]
    return "\n\n".join(parts) + "\n"


def addresses(register: Register) -> dict[str, Numbered | None]:
    """Every claim, and whatever else the pages ask for; the figure of reported values asks too."""
    asked = [use.address for path, source in pages(register.repository).items() for use in uses(path, source)]
    asked += [theirs for _, theirs, _ in PAIRS]
    others = [each for each in asked if each.partition(".")[0] in {"reported", "given", "plan"}]
    return {**register.claims, **dict.fromkeys([*register.faults, *sorted(set(others))])}


def _row(register: Register, entry: Numbered | None, value: Value) -> tuple[Html, Html]:
    number = Html(f'<span id="{text(value.address)}">{text(value.show())}</span>')
    if interval := value.interval():
        number = Html(f"{number}<br><small>{text(interval)}</small>")
    lines: list[Iterable[object]] = [[code(value.address), " ", value.says]]
    lines.append(_origin(register, entry, value))
    lines.append(["used on: ", place_for_uses(value.address)])
    return number, Html("<br>".join("".join(text(part) for part in line) for line in lines))


def _origin(register: Register, entry: Numbered | None, value: Value) -> list[object]:
    parts: list[object] = []
    if value.n is not None and value.low is not None:
        parts += [f"n = {value.n} {value.of}; "]
    if value.low is None and value.reason:
        parts += [f"{value.reason}; "]
    if isinstance(entry, Claim):
        where = ", ".join(f"{key} = {each}" for key, each in entry.where.items())
        parts += [code(entry.estimate), f" {where}; " if where else "; "]
    if isinstance(entry, Computed):
        parts += [code(entry.formula), " of "]
        for name, each in entry.inputs.items():
            inside = link(f"#{each}", each) if isinstance(each, str) and each in register.claims else each
            parts += [f"{name} = ", inside, "; "]
    if entry is not None and entry.holds:
        parts += ["the wording needs ", code(entry.holds), "; "]
    return [*parts, *(["run ", run_link(value.run)] if value.run else [code(value.source)])]


def _runs(register: Register) -> Html:
    rows = [
        (run_link(run_id), plan, "the chapter follows it" if plan == register.current.main else "")
        for plan, run_id in register.current.runs.items()
    ]
    rows += [
        (run_link(run_id), plan, f"beside {register.current.runs[plan]}")
        for plan, beside in register.current.beside.items()
        for run_id in beside
    ]
    rows += [
        (run_link(run_id), "", "no plan shows it any more; claims cite it by name") for run_id in register.cited
    ]
    named = {run for plan in register.current.runs for run in register.current.together(plan)}
    named |= {*register.cited, *register.discards}
    kept = [each.name for each in run_folders(run_homes(register.repository)[1]) if each.name not in named]
    rows += [(run_link(run_id), "", "kept; no number of these pages comes from it") for run_id in kept]
    return table("Runs that are kept", ("run", "plan", ""), "lll", rows)
