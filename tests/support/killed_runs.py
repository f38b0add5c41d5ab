"""Runs of a real tiny pair in processes that are killed; started as a program of its own, since it forks.

The parent imports everything once. Each child is forked from it and measures through the real command line, so
that a kill costs no new imports.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from small_bench import few_walks
from speclab.backends.hf import clock, device, sampling, source  # noqa: F401 - before the forks
from speclab.cli.main import main
from speclab.experiments.measuring import experiments
from speclab.measure import machine
from speclab.models import load  # noqa: F401
from speclab.records.plan import EXPERIMENTS
from speclab.records.reader import read_run
from tiny import disturbed, tiny_llama

if TYPE_CHECKING:
    from collections.abc import Callable

VOCABULARY = 256
COMMAND = ["evidence", "run", "--plan", "tiny"]


def save_pair(folder: Path) -> None:
    """A target and a draft with a tokenizer of bytes, as a person would keep them in two local folders."""
    alphabet = {letter: place for place, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=alphabet, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    target = tiny_llama(vocabulary=VOCABULARY, layers=1, context=256)
    for name, model in (("target", target), ("draft", disturbed(target, 0.1))):
        model.save_pretrained(folder / name)
        PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder / name)  # type: ignore[no-untyped-call]


class Child:
    """A forked process that runs one command in the repository."""

    def __init__(
        self, repository: Path, arguments: list[str], program: Callable[[list[str]], None] = main
    ) -> None:
        self.log = repository / "log.txt"
        self.pid = os.fork()
        if self.pid:
            return
        os.chdir(repository)
        # Whoever starts tests in the background may have told all of them to ignore Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        try:
            program(arguments)
            os._exit(0)
        except SystemExit as end:
            os._exit(int(end.code or 0))
        except BaseException:  # noqa: BLE001 - nothing of a child may reach the parent's code
            traceback.print_exc()
            os._exit(70)

    def kill_after(self, saved: int, seconds: float) -> bool:
        """Kill it so long after so many cells were saved, whatever else the machine does; whether it was alive."""
        before = _count(self.log.parent)
        while _count(self.log.parent) < before + saved:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return False
            time.sleep(0.002)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return False
            time.sleep(0.002)
        os.kill(self.pid, signal.SIGKILL)
        return os.WIFSIGNALED(os.waitpid(self.pid, 0)[1])

    def require_alive(self) -> None:
        """Give up, with what it said, where it has ended."""
        if os.waitpid(self.pid, os.WNOHANG)[0]:
            raise SystemExit(self.log.read_text("utf-8"))

    def wait(self) -> int:
        """Its exit code."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def _count(repository: Path) -> int:
    """How many cells lie in the folders of unfinished runs."""
    # Of this glob a folder may be renamed or taken away while it looks; that of a path raises then.
    return len(glob("*/cells/*", root_dir=repository / "runs"))  # noqa: PTH207


def cells(repository: Path) -> dict[str, bytes]:
    """Every saved cell of unfinished runs, by run and file."""
    found = (repository / "runs").glob("*/cells/[!.]*")
    return {str(path.relative_to(repository)): path.read_bytes() for path in found}


def unfinished(repository: Path) -> list[Path]:
    """Run folders without a digest of their results."""
    folders = [path.parent for path in (repository / "runs").glob("[!.]*/run.json")]
    return [
        each for each in folders if json.loads((each / "run.json").read_text("utf-8"))["results_sha256"] is None
    ]


def run_to_the_end(repository: Path) -> float:
    """One run without a kill; its seconds."""
    begun = time.monotonic()
    child = Child(repository, COMMAND)
    if child.wait() != 0:
        raise SystemExit(child.log.read_text("utf-8"))
    return time.monotonic() - begun


def killed(repository: Path, *, kills: int, seed: int) -> dict[str, object]:
    """Kill runs at random moments, go on with each, and watch that no saved cell changes or goes away."""
    whole = run_to_the_end(repository)
    dice = random.Random(seed)
    done, moments, faults = 0, [], []
    while done < kills or unfinished(repository):
        before = cells(repository)
        resume = ["--resume"] if unfinished(repository) else []
        child = Child(repository, [*COMMAND, *resume])
        if done < kills:
            # Now and then while it starts, most often a little after some cell.
            saved = dice.randrange(6)
            if child.kill_after(saved, dice.uniform(0, whole / 20 if saved else whole / 2)):
                done += 1
                moments.append(len(cells(repository)))
        elif child.wait() != 0:
            raise SystemExit(child.log.read_text("utf-8"))
        faults += _changed(repository, before)
    return {"kills": done, "saved_at_kills": moments, "faults": faults, "runs": len(list(_folders(repository)))}


def _folders(repository: Path) -> list[Path]:
    return [path for path in (repository / "runs").iterdir() if not path.name.startswith(".")]


def _changed(repository: Path, before: dict[str, bytes]) -> list[str]:
    """Cells that are not what they were: in their file, or in the results of the run that has ended since."""
    faults = []
    for folder in _folders(repository):
        run = read_run(folder)
        kept = [json.loads(cell.model_dump_json()) for cell in run.results.cells]
        for name, raw in before.items():
            if not name.startswith(f"runs/{folder.name}/"):
                continue
            path = repository / name
            if path.exists() and path.read_bytes() != raw:
                faults.append(f"{name} was written again")
            if json.loads(raw)["cell"] not in kept:
                faults.append(f"{name} is not in the run any more")
    return faults


def stopped(repository: Path) -> dict[str, object]:
    """Send Ctrl-C once a cell is saved, then run the very command that was printed."""
    child = Child(repository, COMMAND)
    while not cells(repository):
        child.require_alive()
        time.sleep(0.002)
    os.kill(child.pid, signal.SIGINT)
    code, said = child.wait(), child.log.read_text("utf-8")
    before = cells(repository)
    command = said.rsplit("go on with: speclab ", 1)[-1].splitlines()[0].split()
    again = Child(repository, command)
    code_again, said_again = again.wait(), again.log.read_text("utf-8")
    return {
        "code": code,
        "said": said,
        "command": command,
        "code_again": code_again,
        "said_again": said_again,
        "faults": _changed(repository, before),
    }


if __name__ == "__main__":
    # Half a second each time, to see what else runs here: no part of this test.
    vars(machine)["other_processes"] = tuple
    few_walks(pytest.MonkeyPatch())
    experiments(EXPERIMENTS)  # loads their modules, before the forks
    what, place, *rest = sys.argv[1:]
    here = Path(place)
    # In a child too: a process that has computed with torch cannot be forked safely.
    if Child(here, [], lambda _: save_pair(here)).wait():
        raise SystemExit((here / "log.txt").read_text("utf-8"))
    outcome = stopped(here) if what == "stopped" else killed(here, kills=int(rest[0]), seed=int(rest[1]))
    (here / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")
