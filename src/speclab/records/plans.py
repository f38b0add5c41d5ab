"""The plans: `research/plans/<name>.toml`."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from speclab.errors import InputError
from speclab.records.files import sha256_of
from speclab.records.plan import Plan

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan and the digest of the file that it was read from."""

    plan: Plan
    path: Path
    sha256: str


def plan_names(repository: Path) -> tuple[str, ...]:
    """Names of the plans there are."""
    return tuple(sorted(path.stem for path in (repository / "research" / "plans").glob("*.toml")))


def find_plan(name: str, repository: Path) -> PlanFile:
    """Read a plan by its name.

    Raises:
        InputError: When there is none of that name, or its file does not hold a plan.
    """
    names = plan_names(repository)
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,30}", name) or name not in names:
        msg = (
            f"there is no plan {name[:60]!r} in research/plans; take one of: {', '.join(names) or 'none is there'}"
        )
        raise InputError(msg)
    return read_plan(repository / "research" / "plans" / f"{name}.toml")


def read_plan(path: Path) -> PlanFile:
    """Read and check one plan."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        # Through JSON, so that types must be exact: a plan that says `true` for a number is refused.
        plan = Plan.model_validate_json(json.dumps(data, default=str), strict=True)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path} is not TOML ({error}): correct it there"
        raise InputError(msg) from None
    except ValidationError as error:
        msg = f"{path}: {first_fault(error)}; correct it there"
        raise InputError(msg) from None
    if plan.name != path.stem:
        msg = f"{path} names its plan {plan.name!r}: a plan is named as its file"
        raise InputError(msg)
    for what, values in (
        ("prompts", plan.prompts),
        ("timing.lengths", plan.timing.lengths),
        ("speed.ks", plan.speed.ks),
        ("speed.samplings", [each.name for each in plan.speed.samplings]),
    ):
        if not values or len(set(values)) != len(values):
            msg = f"{path}: {what} must name at least one, and each once; correct it there"
            raise InputError(msg)
    return PlanFile(plan, path, sha256_of(path))


def first_fault(error: ValidationError) -> str:
    """The first fault that validation found, with its place."""
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg'].removeprefix('Value error, ')} (it holds {str(fault['input'])[:60]!r})"
