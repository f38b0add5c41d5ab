"""Models of the Hugging Face hub, as safetensors; each way to be refused is one clear line."""

from __future__ import annotations

import errno
import re
from pathlib import Path

from speclab.errors import InputError

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
LIGHT = ("*.json", "*.jinja", "*.txt", "tokenizer.model")
"""Configuration and tokenizer."""
WEIGHTS = ("*.safetensors", "*.safetensors.index.json")


def bring(hub_id: str, patterns: tuple[str, ...], *, commit: str | None = None) -> Path:
    """The folder of a model's files in the hub's own cache, brought there where they are missing.

    Args:
        hub_id: `organisation/name`.
        patterns: Which files of the top folder.
        commit: Of which state of the model; the newest where none is given.

    Raises:
        InputError: When access is refused, there is no such model, or the hub is out of reach.
    """
    from huggingface_hub import errors, snapshot_download  # noqa: PLC0415 - comes with transformers

    # Which package speaks HTTP changes with the hub's version; its base class is at hand under this name.
    transport: type[Exception] = vars(errors)["HTTPError"]
    try:
        # `consolidated` is the same weights once more, under names that transformers does not read.
        folder = snapshot_download(
            hub_id, revision=commit, allow_patterns=list(patterns), ignore_patterns=["*/*", "consolidated*"]
        )
    except errors.GatedRepoError:
        msg = (
            f"{hub_id} is gated and this account has no access: ask for it at https://huggingface.co/{hub_id}, "
            "then log in with `hf auth login` or set HF_TOKEN"
        )
        raise InputError(msg) from None
    except errors.RepositoryNotFoundError:
        msg = f"the hub has no model {hub_id}, or it is private: check the name, or log in with `hf auth login`"
        raise InputError(msg) from None
    except errors.HFValidationError as error:
        msg = f"{hub_id!r} is no hub id: {_first_line(error)}"
        raise InputError(msg) from None
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled):
        raise InputError(_out_of_reach(hub_id)) from None
    except (OSError, transport) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            msg = f"no disk space left for {hub_id} in the hub's cache: make room, or set HF_HOME to another disk"
        elif isinstance(error, errors.HfHubHTTPError):
            msg = f"the hub refused {hub_id}: {_first_line(error)}"
        else:
            msg = _out_of_reach(hub_id)
        raise InputError(msg) from None
    return Path(folder)


def _out_of_reach(hub_id: str) -> str:
    return (
        f"{hub_id} is not complete in the hub's cache, and the hub is out of reach (no network, or HF_HUB_OFFLINE "
        "is set): connect, or name a model that is here"
    )


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
