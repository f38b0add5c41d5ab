"""What a measurement executes, found from the text of its modules."""

from __future__ import annotations

from pathlib import Path

import speclab
from speclab.experiments.imports import executed_files
from speclab.experiments.measuring import CLASSES, experiments, measuring_modules
from speclab.records.plan import EXPERIMENTS

PACKAGE = Path(speclab.__file__).parent
FILES = {
    "experiments/__init__.py": "",
    "experiments/a.py": "from speclab.theory import b, number\nimport speclab.records.x\n",
    "experiments/c.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from speclab.theory import d\n",
    "experiments/late.py": "def f():\n    from speclab.measure.e import g\n",
    "theory/__init__.py": "number = 1\n",
    "theory/b.py": "from speclab.experiments import c\n",
    "theory/d.py": "",
    "theory/data.toml": "",
    "measure/e.py": "g = 1\n",
    "records/x.py": "",
}


def executed(package: Path, *roots: str) -> set[str]:
    return {path.relative_to(package).as_posix() for path in executed_files(package, roots)}


def write(package: Path) -> Path:
    for name, text in FILES.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return package


def test_imports_are_followed(tmp_path: Path) -> None:
    """Modules, names of modules, packages on the way, and data beside them; not what type checkers alone read."""
    package = write(tmp_path / "speclab")
    assert executed(package, "experiments.a") == {
        "experiments/__init__.py",
        "experiments/a.py",
        "experiments/c.py",
        "theory/__init__.py",
        "theory/b.py",
        "theory/data.toml",
    }
    assert executed(package, "experiments.late") == {
        "experiments/__init__.py",
        "experiments/late.py",
        "measure/e.py",
    }


def test_every_experiment_is_found_by_its_name() -> None:
    """In the order of the plan, and each says the name that it is loaded by."""
    assert tuple(CLASSES) == EXPERIMENTS
    assert tuple(each.name for each in experiments(EXPERIMENTS)) == EXPERIMENTS
    assert [each.name for each in experiments(["divergence", "timing"])] == ["timing", "divergence"]


def test_a_run_depends_on_what_it_measures() -> None:
    """The loop and the models always; an experiment's own files where it is measured; never what shows it."""
    timing = executed(PACKAGE, *measuring_modules(["timing"]))
    assert {"decoding/loop.py", "models/catalogue.toml", "backends/hf/model.py", "experiments/timing.py"} <= timing
    assert "experiments/disagreement.py" not in timing
    assert "theory/goodness.py" not in timing
    whole = executed(PACKAGE, *measuring_modules(EXPERIMENTS))
    assert {"theory/goodness.py", "theory/enumerate.py", "experiments/exactness/wrong.py"} <= whole
    assert not {"theory/intervals.py", "experiments/streaming.py"} & whole
    assert not any(name.startswith(("cli/", "site/", "evidence/", "records/")) for name in whole)
