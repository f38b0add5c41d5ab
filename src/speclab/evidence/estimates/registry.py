"""The named estimates: a name in the register, typed conditions, one function from a run to an estimate."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pydantic import ConfigDict, ValidationError, create_model

from speclab.errors import InputError
from speclab.evidence.estimates.blocks import under

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from speclab.evidence.estimates.estimate import Estimate, ValueClass
    from speclab.records.reader import Run

Where: TypeAlias = Mapping[str, object]
EstimateFunction: TypeAlias = Callable[..., "Estimate"]
F = TypeVar("F", bound=EstimateFunction)


@dataclass(frozen=True, slots=True)
class NamedEstimate:
    """An estimate that a claim can name.

    Attributes:
        name: The function's own name.
        function: From a run, and keyword arguments of the types that it declares.
        where: Checks those arguments; nothing is coerced.
        sampled: Whether `where` may also name a sampling, whose blocks it is then about.
        several: Whether the function takes several runs. `where` then names another estimate as `of`, and its
            conditions beside it.
        value_class: What the number is when it comes from a run; where `several`, the other estimate's counts.
        says: First line of the function's docstring.
    """

    name: str
    function: EstimateFunction
    where: type[BaseModel]
    value_class: ValueClass
    sampled: bool
    several: bool
    says: str


_NAMED: dict[str, NamedEstimate] = {}


def named(
    value_class: ValueClass = "measured", *, sampled: bool = False, several: bool = False
) -> Callable[[F], F]:
    """Register a function under its own name.

    Its keyword-only parameters become the keys of `where`, with their types and defaults. They are read at run
    time, so modules that register must not postpone their annotations.
    """

    def register(function: F) -> F:
        name = function.__name__
        if name in _NAMED:
            msg = f"two estimates are called {name}"
            raise ValueError(msg)
        fields: dict[str, Any] = {
            key: (each.annotation, ... if each.default is each.empty else each.default)
            for key, each in inspect.signature(function).parameters.items()
            if each.kind is each.KEYWORD_ONLY
        }
        if sampled:
            fields["sampling"] = (str | None, None)
        config = ConfigDict(extra="allow" if several else "forbid", strict=True)
        where = create_model(name, __config__=config, **fields)
        says = (inspect.getdoc(function) or "").partition("\n")[0]
        _NAMED[name] = NamedEstimate(name, function, where, value_class, sampled, several, says)
        return function

    return register


def estimate_names() -> tuple[str, ...]:
    """Every name that a claim can use."""
    return tuple(sorted(_NAMED))


def find_estimate(name: str) -> NamedEstimate:
    """The estimate of that name.

    Raises:
        InputError: When there is none; names those there are.
    """
    if name not in _NAMED:
        msg = f"unknown estimate {name!r}; there are: {', '.join(estimate_names())}"
        raise InputError(msg)
    return _NAMED[name]


def value_class_of(name: str, where: Where) -> ValueClass:
    """What the number of a claim is: over several runs, what it is in each of them."""
    found = find_estimate(name)
    return find_estimate(str(where["of"])).value_class if found.several else found.value_class


def check_where(name: str, where: Where) -> dict[str, Any]:
    """Give back the arguments of an estimate, checked.

    Raises:
        InputError: On an unknown estimate, an unknown key, a missing one, or a value of another type.
    """
    found = find_estimate(name)
    try:
        checked = found.where.model_validate(dict(where))
    except ValidationError as error:
        raise InputError(_fault(found, error)) from None
    arguments = {key: getattr(checked, key) for key in found.where.model_fields}
    if not found.several:
        return arguments
    if find_estimate(arguments["of"]).several:
        msg = f"estimate {name} is of numbers of a single run, and {arguments['of']} is over several"
        raise InputError(msg)
    return arguments | check_where(arguments["of"], checked.model_extra or {})


def estimate(name: str, run: Run, where: Where, *, beside: Sequence[Run] = ()) -> Estimate:
    """Estimate by name.

    Args:
        name: As in `estimate_names`.
        run: The rows.
        where: Conditions, as the estimate declares them.
        beside: Further runs, for an estimate over several.

    Raises:
        InputError: When the name or the conditions are unknown or of a wrong type.
        EmptySelectionError: When no row of this run meets the conditions; says what there is.
    """
    arguments = check_where(name, where)
    found = find_estimate(name)
    if found.several:
        return found.function((run, *beside), **arguments)
    sampling = arguments.pop("sampling", None) if found.sampled else None
    return found.function(run if sampling is None else under(run, sampling), **arguments)


def _fault(found: NamedEstimate, error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    key = str(first["loc"][0])
    takes = ", ".join(found.where.model_fields) or "no conditions"
    if first["type"] == "extra_forbidden":
        return f"estimate {found.name} has no condition {key!r} in `where`; it takes: {takes}"
    if first["type"] == "missing":
        return f"estimate {found.name} needs {key!r} in `where`; it takes: {takes}"
    return f"estimate {found.name}: {key} = {first['input']!r} in `where`: {first['msg'].lower()}"
