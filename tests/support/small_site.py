"""A copy of the real site with a simulated run adopted, and how to build it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tomli_w

from speclab.records.plan import SamplingPlan
from speclab.records.rows import DivergenceCell, MarginsCell, TraceCell
from synthetic import synthetic_plan, synthetic_run, write_run

if TYPE_CHECKING:
    from speclab.records.rows import Cell, Results
    from speclab.records.run import RunRecord

HERE = Path(__file__).parents[2]
RUN = "quick-synthetic"
_PROMPTS = (*synthetic_plan().prompts, "code-2", "code-3")
PLAN = synthetic_plan(ks=(1, 2, 4, 8)).model_copy(update={"prompts": _PROMPTS})
"""That of the run and of those beside it: each k that the pages speak of, and for code, so that it has intervals,
three prompts; one of every other kind."""
CURRENT = "research/current.toml"
SAMPLINGS = {"exercises": (SamplingPlan(), SamplingPlan(temperature=0.7), SamplingPlan(temperature=1.0))}
"""Of the plans that have others than the greedy one."""
NASTY = (
    "</td></code><script>alert(1)</script>{{ x }}|`\"'\n\n"
    '```python exec="1"\nprint(6*7)\n```\n[=c] <|im_end|>\u202e'
)
"""What a model may write, and what no page may act on."""

# Runs mkdocs as its command does, then says whether torch came along.
_BUILD = """
import sys
from mkdocs.__main__ import cli
code = 0
try:
    cli(sys.argv[1:], standalone_mode=True)
except SystemExit as end:
    code = end.code
print("torch was imported" if "torch" in sys.modules else "no torch", file=sys.stderr)
sys.exit(code)
"""


@dataclass(frozen=True)
class Built:
    """A copy of the site with a simulated run, and what building it said."""

    root: Path
    said: subprocess.CompletedProcess[str]

    @property
    def site(self) -> Path:
        """The built pages."""
        return self.root / "site"


def copy_site(root: Path, *, run: str = RUN, seed: int = 0, slow: float = 1.0, nasty: bool = False) -> Path:
    """Make a repository with the real pages and register, whose main plan shows a simulated run.

    Args:
        root: Where to; must not be there yet.
        run: Id of the run.
        seed: Of the simulation.
        slow: As in `synthetic_run`.
        nasty: Whether the models of the run wrote what no page may act on.
    """
    root.mkdir(parents=True)
    for name in ("docs", "research"):
        shutil.copytree(HERE / name, root / name, ignore=shutil.ignore_patterns("runs"))
    for name in ("mkdocs.yml", "README.md"):
        shutil.copy(HERE / name, root / name)
    (root / "src").mkdir()
    # What the real sentences lean on was measured; simulated numbers owe them nothing.
    register = root / "research" / "register.toml"
    register.write_text(re.sub(r"(?m)^holds = .*\n", "", register.read_text(encoding="utf-8")), encoding="utf-8")
    shown = tomllib.loads((HERE / CURRENT).read_text(encoding="utf-8"))
    (root / CURRENT).write_text("", encoding="utf-8")
    record, results = synthetic_run(run, seed=seed, slow=slow, plan=PLAN)
    spoil = _spoilt if nasty else (lambda each: each)
    adopt_run(root, record, spoil(results))
    for plan in sorted(shown["runs"].keys() - {record.plan.name}):
        other = synthetic_plan(name=plan, samplings=SAMPLINGS.get(plan, (SamplingPlan(),)))
        record, results = synthetic_run(f"{plan}-synthetic", seed=seed, plan=other)
        adopt_run(root, record, spoil(results))
    for plan, beside in shown.get("beside", {}).items():
        again = [
            synthetic_run(
                f"{plan}-beside-{n}", seed=seed + n, slow=slow, plan=PLAN.model_copy(update={"name": plan})
            )
            for n in range(1, len(beside) + 1)
        ]
        stand_beside(root, plan, *again)
    claims = tomllib.loads(register.read_text(encoding="utf-8"))["claim"]
    for cited in dict.fromkeys(each["run"] for each in claims if "run" in each):
        record, results = synthetic_run(cited, seed=seed)
        write_run(root / "research" / "runs" / cited, record, spoil(results))
    return root


def adopt_run(root: Path, record: RunRecord, results: Results) -> None:
    """Put a run where adopted ones lie, and let its plan show it; the first one's plan is main."""
    write_run(root / "research" / "runs" / record.id, record, results)
    current = tomllib.loads((root / CURRENT).read_text(encoding="utf-8"))
    runs = {**current.get("runs", {}), record.plan.name: record.id}
    main = current.get("main", record.plan.name)
    (root / CURRENT).write_text(tomli_w.dumps({**current, "main": main, "runs": runs}), encoding="utf-8")


def stand_beside(root: Path, plan: str, *runs: tuple[RunRecord, Results]) -> None:
    """Put runs beside the one that a plan shows."""
    for record, results in runs:
        write_run(root / "research" / "runs" / record.id, record, results)
    current = tomllib.loads((root / CURRENT).read_text(encoding="utf-8"))
    current.setdefault("beside", {})[plan] = [record.id for record, _ in runs]
    (root / CURRENT).write_text(tomli_w.dumps(current), encoding="utf-8")


def build(root: Path, *, cwd: Path, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Build as `mkdocs build` does, in a process of its own.

    Args:
        root: A copy of the site.
        cwd: Where the command is run.
        site: Where the pages go; `site` in the copy where None.
    """
    arguments = ["build", "-f", str(root / "mkdocs.yml"), *(["-d", str(site)] if site else [])]
    environment = os.environ | {
        "NO_MKDOCS_2_WARNING": "1",
        "SOURCE_DATE_EPOCH": "1767225600",
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(
        [sys.executable, "-c", _BUILD, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )


def replace(path: Path, old: str, new: str) -> None:
    """Change a text that must be there once at least."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} does not hold {old!r}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def lean(root: Path, claim: str, condition: str) -> None:
    """Let the wording around a claim of a copy lean on a condition."""
    named = f'id = "{claim}"\n'
    replace(root / "research" / "register.toml", named, f'{named}holds = "{condition}"\n')


def _spoilt(results: Results) -> Results:
    return results.model_copy(update={"cells": tuple(_with_nasty_text(cell) for cell in results.cells)})


def _with_nasty_text(cell: Cell) -> Cell:
    """Every text in a row that a model wrote, or that was decoded from its tokens, is the nasty one."""
    if isinstance(cell, DivergenceCell):
        nasty = {"plain_text": NASTY, "arm_text": " a"}
        return cell.model_copy(
            update={"differences": tuple(each.model_copy(update=nasty) for each in cell.differences)}
        )
    if isinstance(cell, MarginsCell) and cell.constructed.value is not None:
        tie = cell.constructed.value.model_copy(update={"text": NASTY, "other_text": " a"})
        return cell.model_copy(update={"constructed": cell.constructed.model_copy(update={"value": tie})})
    if isinstance(cell, TraceCell):
        return cell.model_copy(
            update={"pieces": tuple(each.model_copy(update={"text": NASTY}) for each in cell.pieces)}
        )
    return cell
