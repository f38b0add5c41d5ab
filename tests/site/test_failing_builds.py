"""What is wrong with a page or its evidence ends the build, and the message leads to the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs.config import load_config

from small_site import HERE, RUN, build, copy_site, lean, replace

if TYPE_CHECKING:
    from pathlib import Path

SPEED, COSTS, GUESSES = (f"docs/chapter/{name}.md" for name in ("speed", "pass", "guess"))


def line_of(path: Path, text: str) -> int:
    return next(n for n, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1) if text in line)


def test_every_fault_is_named_with_page_line_and_id(tmp_path: Path) -> None:
    """One build names them all: an unknown id, a broken sentence, a formula, and a block that fails."""
    root = copy_site(tmp_path / "site")
    speed, costs, guesses = root / SPEED, root / COSTS, root / GUESSES
    home = root / "docs" / "index.md"
    replace(home, "What was found", "What was found [=speed.nothing]")
    replace(costs, "$kc + v(k+1)$", "$k^2^2$")
    lean(root, "speed.prose.k4", "low > 1")
    lean(root, "alpha.repetitive", "value > 1000")
    replace(speed, "print(tables.shares())", "print(1 / 0)")
    said = build(root, cwd=root)
    assert said.returncode == 1
    assert f"docs/index.md:{line_of(home, 'speed.nothing')}: [=speed.nothing]: unknown id" in said.stderr
    assert f"{COSTS}:{line_of(costs, 'k^2^2')}: $k^2^2$: not a formula" in said.stderr
    # One prompt of prose has no interval, so no sentence can lean on its lower end.
    assert (
        f"{SPEED}:{line_of(speed, '[=speed.prose.k4]')}: [=speed.prose.k4]: `low > 1` cannot hold" in said.stderr
    )
    # A number that a table shows leads to the block that prints it.
    printed = line_of(guesses, "tables.acceptance()")
    assert f"{GUESSES}:{printed}: alpha.repetitive: `value > 1000` no longer holds" in said.stderr
    # A block that raises something unforeseen is a warning, and the build is strict.
    assert "WARNING" in said.stderr
    assert "ZeroDivisionError" in said.stderr
    assert not (root / "site" / "index.html").exists()


def test_the_build_is_strict() -> None:
    """A block that fails is only a warning to the tools, and a plain build would publish its traceback."""
    assert load_config(str(HERE / "mkdocs.yml")).strict is True


def test_an_altered_run_is_one_clear_line_a_page(tmp_path: Path) -> None:
    """Rows that were edited are not shown, and no traceback is."""
    root = copy_site(tmp_path / "site")
    replace(root / "research" / "runs" / RUN / "results.json", '"tokens": 9', '"tokens": 8')
    said = build(root, cwd=root)
    assert said.returncode == 1
    assert "Traceback" not in said.stderr
    assert "is not what the run wrote" in said.stderr
    assert f"{COSTS}:{line_of(root / COSTS, 'figures.pass_time()')}: figures.pass_time: " in said.stderr
