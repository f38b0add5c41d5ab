"""Readers of prompts: every format, and one clear line for everything that is wrong."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from speclab.errors import InputError
from speclab.prompts.prompt import Message, select
from speclab.prompts.read import read_prompts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]

QUESTIONS = """\
{"question_id": 501, "category": "writing", "turns": ["Write a short note.", "Now shorten it."]}

{"question_id": 502, "category": "STEM", "turns": ["Why is the sky dark\\u2028at night?"]}
"""
TASKS = """\
{"task_id": "Tasks/0", "prompt": "def add(a, b):\\n    ", "entry_point": "add", "test": "assert add(1, 2) == 3"}
{"task_id": "Tasks/1", "prompt": "def double(a):\\n    "}
"""
TABLES = """\
kind = "prose"
licence = "CC0-1.0"

[[prompt]]
id = "prose.1"
text = '''
The first line
goes on here'''

[[prompt]]
id = "chat.1"
kind = "chat"
messages = [{ role = "system", content = "Be brief." }, { role = "user", content = "What is a cache?" }]
source = "a conversation"
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file into the test's folder."""

    def put(content: str | bytes, name: str = "prompts.any") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def test_questions_of_mt_bench(write: Write) -> None:
    """The first turn becomes a message of the user; U+2028 inside a string ends no line."""
    first, second = read_prompts(write(QUESTIONS))
    assert (first.id, first.kind, first.format) == ("mt-bench.501", "writing", "messages")
    assert first.messages == (Message("user", "Write a short note."),)
    assert first.text is None
    assert (second.kind, second.messages[0].content) == ("stem", "Why is the sky dark\u2028at night?")
    assert second.source == "prompts.any, question 502, first turn"
    assert second.licence == "not stated"


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_tasks_of_humaneval(write: Write, pack: Callable[[str], bytes]) -> None:
    """Raw text, the id made safe; packed with gzip or not, whatever the file is called."""
    first, second = read_prompts(write(pack(TASKS)))
    assert (first.id, first.kind, first.format) == ("tasks.0", "code", "raw")
    assert first.text == "def add(a, b):\n    "
    assert second.id == "tasks.1"


def test_plain_lines(write: Write) -> None:
    """`id`, `kind` and `prompt`; upper case, underscores and spaces in an id are mapped."""
    rows = [
        {"id": "My_prompt 1", "kind": "Legal text", "prompt": "Whereas "},
        {"id": "b", "kind": "prose", "prompt": "x", "licence": "CC0-1.0", "source": "a letter"},
    ]
    first, second = read_prompts(write("\n".join(json.dumps(row) for row in rows)))
    assert (first.id, first.kind, first.text) == ("my-prompt-1", "legal-text", "Whereas ")
    assert (second.licence, second.source) == ("CC0-1.0", "a letter")


def test_tables_of_our_own(write: Write) -> None:
    """Defaults at the top, overridden by the prompt's own keys; raw text and messages."""
    prose, chat = read_prompts(write(TABLES))
    assert (prose.id, prose.kind, prose.licence, prose.source) == ("prose.1", "prose", "CC0-1.0", "prompts.any")
    assert prose.text == "The first line\ngoes on here"
    assert (chat.kind, chat.format, chat.source) == ("chat", "messages", "a conversation")
    assert [message.role for message in chat.messages] == ["system", "user"]


def test_a_folder_in_the_order_of_the_kinds(tmp_path: Path, write: Write) -> None:
    """All its TOML files and nothing else; kinds in their order, unknown ones last."""
    for kind in ("chat", "code", "poem", "prose"):
        write(f'[[prompt]]\nid = "{kind}.1"\nkind = "{kind}"\ntext = "x"\n', f"{kind}.toml")
    write("not a prompt", "README.md")
    assert [prompt.kind for prompt in read_prompts(tmp_path)] == ["prose", "code", "chat", "poem"]


def test_a_byte_order_mark_and_crlf(write: Write) -> None:
    """Files from Windows editors are read as what they mean."""
    content = b"\xef\xbb\xbf" + QUESTIONS.replace("\n", "\r\n").encode()
    assert len(read_prompts(write(content))) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("licence = 'CC0-1.0'\n", "holds no prompt"),
        ("Once upon a time\n", "holds neither lines of JSON nor TOML"),
        ("a = " + "[" * 100_000, "holds neither"),
        ('[{"id": "a", "kind": "b", "prompt": "c"}]', "one JSON list"),
        ("é".encode("latin-1") + b" = 1", "line 1: byte 0xe9 is not UTF-8"),
        (b"ok = 1\n" + "x".encode("utf-16"), "line 2: byte 0xff is not UTF-8"),
        (gzip.compress(QUESTIONS.encode(), mtime=0)[:-12], "damaged gzip"),
        (gzip.compress(b"x" * 5000, mtime=0)[:10] + b"\xff" * 40, "damaged gzip"),
        ('{"id": "a", "kind": "b", "prompt": "c"}\n{"id": "d",\n', "line 2: not a JSON object"),
        ('{"id": "a", "kind": "b", "prompt": "c"}\n7\n', "line 2: not a JSON object (a int"),
        ('{"id": ' + "1" * 5000 + "}", "line 1: not a JSON object"),
        ('{"id": ' + "[" * 100_000, "line 1: not a JSON object"),
        ('{"id": "a", "kind": "b"}', "line 1: the keys (id, kind) belong to no known format"),
        ('{"id": "a", "prompt": "c"}', "line 1: `kind` is missing"),
        ('{"id": 5, "kind": "b", "prompt": "c"}', "line 1: `id` is no string"),
        ('{"id": "a", "kind": "b", "prompt": " \\n"}', "line 1: the prompt 'a' is empty"),
        ('{"id": "a", "kind": "b", "prompt": "\\ud83d"}', "line 1: the prompt 'a' holds half of a surrogate"),
        ('{"id": "../a", "kind": "b", "prompt": "c"}', "line 1: the id '../a' cannot be part of a file name"),
        ('{"id": "", "kind": "b", "prompt": "c"}', "line 1: the id '' cannot"),
        ('{"id": "ä", "kind": "b", "prompt": "c"}', "line 1: the id 'ä' cannot"),
        ('{"id": "a", "kind": "?", "prompt": "c"}', "line 1: the kind '?' cannot"),
        ('{"id": "' + "a" * 61 + '", "kind": "b", "prompt": "c"}', "cannot be part"),
        ('{"question_id": 5, "category": "b"}', "line 1: `turns` is missing"),
        ('{"question_id": 5, "category": "b", "turns": []}', "line 1: `turns` is missing"),
        ('{"question_id": 5, "category": "b", "turns": [""]}', "line 1: the prompt 'mt-bench.5' is empty"),
        ('{"question_id": true, "category": "b", "turns": ["x"]}', "line 1: `question_id` is missing"),
        ('{"question_id": 5, "turns": ["x"]}', "line 1: `category` is missing"),
        ('{"task_id": "T/0"}', "line 1: `prompt` is missing"),
        ('[[prompt]]\nkind = "b"\ntext = "c"', "line 1: the prompt has no `id`"),
        ('\n[[prompt]]\nid = "a"\ntext = "c"', "line 2: the prompt has no `kind`"),
        ('[[prompt]]\nid = "a"\nkind = "b"', "line 1: a prompt has either"),
        ('[[prompt]]\nid = "a"\nkind = "b"\ntext = "c"\nmessages = []', "line 1: a prompt has either"),
        ('[[prompt]]\nid = "a"\nkind = "b"\ntext = 5', "line 1: `text` is 5"),
        ('[[prompt]]\nid = "a"\nkind = "b"\ntxet = "c"', "line 1: unknown key `txet`"),
        ('model = "x"\n[[prompt]]\nid = "a"\nkind = "b"\ntext = "c"', "unknown key `model`"),
        ('[prompt]\nid = "a"', "no list of tables"),
        ("prompt = [1]", "no list of tables"),
        ('[[prompt]]\nid = "a"\nkind = "b"\nmessages = [{ role = "user" }]', "`messages` are tables"),
        ('[[prompt]]\nid = "a"\nkind = "b"\nmessages = "hello"', "`messages` are tables"),
        ('[[prompt]]\nid = "a"\nkind = "b"\nmessages = []', "line 1: the prompt 'a' is empty"),
    ],
)
def test_one_clear_line(write: Write, content: str | bytes, message: str) -> None:
    """Each fault is named with the file and where in it, on a single line."""
    path = write(content)
    with pytest.raises(InputError) as caught:
        read_prompts(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_header_inside_a_text_moves_no_line(write: Write) -> None:
    """A prompt that quotes such a table: the fault is then counted in prompts."""
    text = "[[prompt]]\nid = 'a'\nkind = 'b'\ntext = '''\n[[prompt]]\n'''\n[[prompt]]\nid = 'c'\n"
    with pytest.raises(InputError, match="prompt 2: the prompt has no `kind`"):
        read_prompts(write(text))


def test_ids_are_unique_after_mapping(tmp_path: Path, write: Write) -> None:
    """Twice in a file, spelled differently, or in two files of a folder: both places are named."""
    rows = '{"id": "a/b", "kind": "k", "prompt": "x"}\n{"id": "A.B", "kind": "k", "prompt": "y"}\n'
    path = write(rows)
    with pytest.raises(InputError, match=r"line 2: the id 'a\.b' was already used in .*line 1"):
        read_prompts(path)
    for name in ("one.toml", "two.toml"):
        write('[[prompt]]\nid = "same"\nkind = "prose"\ntext = "x"\n', name)
    with pytest.raises(InputError, match=r"two\.toml, line 1: the id 'same' was already used in .*one\.toml"):
        read_prompts(tmp_path)


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    """A missing file, and a folder without prompts."""
    with pytest.raises(InputError, match=r"missing\.jsonl cannot be read \(No such file"):
        read_prompts(tmp_path / "missing.jsonl")
    with pytest.raises(InputError, match=r"holds no \*\.toml file"):
        read_prompts(tmp_path)


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_too_large(write: Write, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    """Weights given by mistake, or a small file that unpacks to a huge one, are not read whole."""
    monkeypatch.setattr("speclab.prompts.read.LARGEST", 2**20)
    content = b"x" * (2**20 + 1)
    with pytest.raises(InputError, match="larger than 1 MiB"):
        read_prompts(write(gzip.compress(content) if packed else content))


def test_select(write: Write) -> None:
    """In the order asked for; an unknown id is named with those there are."""
    prompts = read_prompts(write(TABLES))
    assert [prompt.id for prompt in select(prompts, ["chat.1", "prose.1"])] == ["chat.1", "prose.1"]
    with pytest.raises(InputError, match=r"no prompt 'code\.9'; known are prose\.1, chat\.1"):
        select(prompts, ["prose.1", "code.9"])
