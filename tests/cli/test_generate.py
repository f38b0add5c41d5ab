"""`speclab generate`: what is shown of a generation."""

import io

import pytest
from rich.console import Console

from speclab.backends import words
from speclab.backends.table import NumpySource
from speclab.cli.generate import document, marked, summary
from speclab.cli.main import main
from speclab.decoding.generation import Generation, collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from speclab.experiments.compare import Compared, compare


def generation(k: int) -> Generation:
    """Twelve tokens of the words."""
    iterations = speculative(
        words.target(),
        DraftModel(words.draft()),
        words.ids("a draft"),
        k=k,
        sampling=GREEDY,
        source=NumpySource(0),
        max_new_tokens=12,
    )
    return collect(iterations)


def test_accepted_tokens_are_marked_by_a_sign_and_by_colour() -> None:
    """Readers without colour see the brackets; the target's own token stands outside them."""
    shown = marked([" the", " cat"], [" sat"])
    assert shown.plain == "⟦ the cat⟧ sat"
    assert {str(span.style) for span in shown.spans} == {"green", "green dim"}
    assert marked([], ["x"]).plain == "x"


def test_markup_and_escapes_in_a_model_s_text_are_shown_as_text() -> None:
    """A model cannot colour the terminal, neither by rich's markup nor by an escape sequence."""
    console = Console(force_terminal=True, width=80)
    with console.capture() as captured:
        console.print(marked(["[red]"], ["\x1b[2J"]), end="")
    assert "[red]" in captured.get()
    assert "\x1b[2J" not in captured.get()


def test_the_summary_says_what_was_counted() -> None:
    """Rates where something was proposed, the comparison where there was one."""
    lines = [line.plain for line in summary(generation(4), Compared(12, (200, 200), 100))]
    assert lines[0].startswith("12 tokens in ")
    assert "alpha" in lines[1]
    assert "2.00 times" in lines[2]
    assert [line.plain for line in summary(generation(0), None)] == [
        "12 tokens in 12 passes of the target; ended by length"
    ]


def test_the_document_adds_up() -> None:
    """Committed tokens of the iterations are the ids."""
    made = document("text", generation(2), None, 2)
    assert [token for each in made["iterations"] for token in each["committed"]] == made["ids"]
    assert made["compare"] is None


def test_compare_gives_every_arm_the_same_number_of_tokens() -> None:
    """The caller's models keep their empty caches, and the ratio is of the arms' own times."""

    class Ticking:
        """A clock that ticks once a mark."""

        now = 0

        def mark(self) -> int:
            self.now += 1
            return self.now

        def between(self, start: int, end: int) -> int:
            return end - start

        def synchronize(self) -> None:
            pass

    target, draft = words.target(), words.draft()
    found = compare(
        target,
        draft,
        words.ids("a draft"),
        k=4,
        sampling=GREEDY,
        source=lambda: NumpySource(0),
        new_tokens=12,
        clock=Ticking(),
    )
    assert target.length == draft.length == 0
    assert found.tokens == 12
    # A turn and an iteration take the same marks in every arm, so a tick counts iterations: fewer is faster.
    assert found.noise == 1
    assert found.speedup > 1.5


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--temperature", "-1"], "temperature is -1"),
        (["--temperature", "nan"], "temperature is nan"),
        (["--top-p", "0", "--temperature", "1"], "top_p is 0"),
        (["--min-p", "2", "--temperature", "1"], "min_p is 2"),
        (["--top-k", "-1", "--temperature", "1"], "top_k is -1"),
        (["--temperature", "0", "--top-k", "3"], "leaves --top-k nothing to cut: give a --temperature above 0"),
        (["--top-p", "0.9", "--min-p", "0.1"], "or leave --top-p and --min-p out"),
        (["--target", "no-such-model"], "no-such-model"),
        (["--target", ""], "the name of the model is empty"),
    ],
)
def test_wrong_input_is_one_line(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Before any weight is read."""
    with pytest.raises(SystemExit) as end:
        main(["generate", "hello", *arguments])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert line in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(("typed", "line"), [(b"", "empty"), (b" \n", "empty"), (b"ab\xff", "not UTF-8 (byte 2)")])
def test_unusable_standard_input_is_one_line(
    typed: bytes, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing to continue, or bytes that are no text."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed)))
    with pytest.raises(SystemExit) as end:
        main(["generate", "-"])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert line in said
    assert said.count("\n") == 1
