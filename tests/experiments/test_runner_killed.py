"""A real tiny pair, measured by processes that are killed or stopped, through the real command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from small_bench import small_repository
from speclab.experiments.resume import UNFINISHED
from speclab.records.folder import tidy
from speclab.records.reader import read_run, run_folders

SUPPORT = Path(__file__).parent.parent / "support"
KEYS = {
    *(f"timing.r{cycle}" for cycle in range(3)),
    "traces.prose-1",
    *(f"exactness.{walk}" for walk in ("ratio", "fresh-draw")),
    *(
        f"{part}.{prompt}{end}"
        for prompt in ("prose-1", "code-1")
        for part, end in (
            ("speed", ".r0.a0"),
            ("distribution", ".s0"),
            ("disagreement", ""),
            ("recomputed", ""),
            ("divergence", ""),
            ("margins", ""),
        )
    ),
}


def outcome(repository: Path, *arguments: str) -> Any:
    """What a program that forks and kills reports; it works in a repository with two local models."""
    small_repository(
        repository,
        pair={"target": "./target", "draft": "./draft"},
        timing={"lengths": [1, 2]},
        speed={"ks": [1], "rounds": 1, "new_tokens": 4},
        divergence={"float32_prompts_per_kind": 0},
        distribution={"seeds": 1, "draws": 500},
    )
    paths = os.pathsep.join([str(SUPPORT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": paths,
        "XDG_CACHE_HOME": str(repository / "cache"),
    }
    command = [sys.executable, str(SUPPORT / "killed_runs.py"), arguments[0], str(repository), *arguments[1:]]
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads((repository / "outcome.json").read_text("utf-8"))


def keys(folder: Path) -> Counter[str]:
    """How often each cell is in the results of a run, repeats of disturbed blocks apart."""
    run = read_run(folder)
    assert run.record.status not in UNFINISHED
    return Counter(cell.key for cell in run.results.cells if not cell.key.endswith(".a1"))


def test_killed_at_twenty_random_moments(tmp_path: Path) -> None:
    """No saved cell changes or goes away, and in the end every run is whole, each cell in it once."""
    found = outcome(tmp_path, "killed", "20", "1")
    assert found["kills"] == 20
    assert found["faults"] == []
    # Some of the moments came in the middle of a run.
    assert any(0 < saved < len(KEYS) for saved in found["saved_at_kills"])
    folders = run_folders(tmp_path / "runs")
    assert folders
    for folder in folders:
        assert keys(folder) == Counter(KEYS)
    tidy(tmp_path / "runs")  # as the next run does first: the last kill may have come in the middle of a write
    left = {path.name for path in (tmp_path / "runs").rglob("*") if path.is_file()}
    assert left == {"run.json", "results.json"}


def test_ctrl_c_prints_the_command_that_goes_on(tmp_path: Path) -> None:
    """Ctrl-C ends with 130 and one line to copy; that line finishes the run and gives the answer."""
    found = outcome(tmp_path, "stopped")
    assert found["code"] == 130
    assert "Traceback" not in found["said"]
    assert found["command"][:3] == ["evidence", "run", "--resume"]
    assert found["code_again"] == 0
    assert found["faults"] == []
    (folder,) = run_folders(tmp_path / "runs")
    assert keys(folder) == Counter(KEYS)
    assert found["command"][3] == folder.name
    assert len(found["said_again"].splitlines()[-5:]) == 5
    assert found["said_again"].splitlines()[-5].startswith("Best k: ")
