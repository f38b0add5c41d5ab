"""Every rule of the register, broken on a copy of the real pages: validating, building and previewing name it."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from preview import serving, until
from small_site import adopt_run, build, copy_site, lean, replace
from speclab.evidence.checks import check as validate
from synthetic import synthetic_plan, synthetic_run

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

HOME = "docs/index.md"
REGISTER = "research/register.toml"


@dataclass(frozen=True)
class Rule:
    """A rule that is broken.

    Attributes:
        claim: The address whose number cannot be shown.
        says: What is said of it.
        plan: Whose run is at fault, or None.
    """

    claim: str
    says: str
    plan: str | None = None


# Each stands in the prose of the first page, and rests on a run of its own where the run is at fault.
RULES = (
    Rule("speed.nothing", "unknown id speed.nothing"),
    Rule("v.9", "`value > 1000` no longer holds: value is "),
    Rule("speed.k4", "`low > 1000` no longer holds: low is "),
    Rule("alpha.prose", "run discarded-run is discarded (the fan stood still)", "discarded"),
    Rule("ratio.parameters", "there is no run at research/runs/missing-run: ", "missing"),
    Rule("speed.k1", "results.json is not what the run wrote (SHA-256 ", "altered"),
    Rule("speed.k2", "research/runs/bare-run/run.json has no machine: restore", "bare"),
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages with all of them broken."""
    root = copy_site(tmp_path_factory.mktemp("rules") / "site")
    runs = root / "research" / "runs"
    replace(root / HOME, "## What was found", "## What was found\n\nNo such number: [=speed.nothing].")
    lean(root, "v.9", "value > 1000")
    lean(root, "speed.k4", "low > 1000")
    for rule in RULES:
        if rule.plan:
            adopt_run(root, *synthetic_run(f"{rule.plan}-run", plan=synthetic_plan(name=rule.plan)))
            replace(root / REGISTER, f'id = "{rule.claim}"\n', f'id = "{rule.claim}"\nplan = "{rule.plan}"\n')
    shutil.rmtree(runs / "missing-run")
    replace(runs / "altered-run" / "results.json", '"tokens": 9', '"tokens": 8')
    record = json.loads((runs / "bare-run" / "run.json").read_text(encoding="utf-8"))
    del record["machine"]
    (runs / "bare-run" / "run.json").write_text(json.dumps(record), encoding="utf-8")
    with (root / REGISTER).open("a", encoding="utf-8") as register:
        register.write('\n[[discard]]\nrun = "discarded-run"\nreason = "the fan stood still"\n')
        register.write('\n[[claim]]\nid = "idle"\nsays = "x"\nestimate = "run_minutes"\nformat = ".0f"\n')
    return root


@pytest.fixture(scope="module")
def said(root: Path) -> subprocess.CompletedProcess[str]:
    """What one strict build of them said."""
    return build(root, cwd=root)


def line_of(path: Path, text: str) -> int:
    return next(n for n, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1) if text in line)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.says)
def test_the_build_fails_with_page_line_and_id(
    root: Path, said: subprocess.CompletedProcess[str], rule: Rule
) -> None:
    """Strictly, and without a traceback."""
    assert said.returncode == 1
    assert "Traceback" not in said.stderr
    place = f"{HOME}:{line_of(root / HOME, f'[={rule.claim}]')}: [={rule.claim}]: "
    (line,) = [each for each in said.stderr.split("\n") if place in each]
    assert rule.says in line


@pytest.mark.parametrize(
    "rule", [each for each in RULES if each.claim != "speed.nothing"], ids=lambda rule: rule.says
)
def test_validation_names_the_line_of_the_register(root: Path, rule: Rule) -> None:
    """Before any page is built; the id that is nowhere is known to the pages alone."""
    entry = f'id = "{rule.claim}"'
    place = f"{REGISTER}:{line_of(root / REGISTER, entry)}: {rule.claim}: "
    (line,) = [each for each in validate(root) if each.startswith(place)]
    assert rule.says in line


def test_a_preview_shows_each_in_its_place_and_goes_on(root: Path) -> None:
    """The unused claim in its line of the register; a fault that is mended goes, the others stay."""
    with serving(root) as address:
        home = until(address, lambda soup: soup.find(class_="fault") is not None, root / "said.txt")
        shown = [tag.get_text() for tag in home.find_all(class_="fault")]
        for rule in RULES:
            assert any(each.startswith(f"[={rule.claim}]: ") and rule.says in each for each in shown), rule
        register = until(f"{address}evidence/register.html", lambda soup: soup.h1 is not None, root / "said.txt")
        row = next(tag for tag in register.find_all("tr") if tag.find(id="idle"))
        (fault,) = row.find_all(class_="fault")
        assert fault.get_text() == "idle: no page uses this claim: use it, or take it out of the register"
        replace(root / HOME, "\n\nNo such number: [=speed.nothing].", "")
        mended = until(address, lambda soup: "speed.nothing" not in soup.get_text(), root / "said.txt")
        assert len(mended.find_all(class_="fault")) == len(shown) - 1
