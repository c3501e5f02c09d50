"""Names of measures, and how parameters are written in them."""

from __future__ import annotations

from .capabilities import SupportsEvaluate


def name_of(measure: SupportsEvaluate) -> str:
    """Name of a measure; an object that is not a `Measure` is named by its attribute `name`, or else by its class."""
    name = getattr(measure, "name", None)
    return name if isinstance(name, str) else type(measure).__name__


def qualified_name_of(measure: SupportsEvaluate) -> str:
    """Name that `parse` reads back in any process; an object that is not a `Measure` is named by its class."""
    name = getattr(measure, "qualified_name", None)
    return name if isinstance(name, str) else qualified(type(measure), type(measure).__name__)


def qualified(cls: type, name: str) -> str:
    """A name with the module of its class in front, except for classes of this package."""
    return name if is_ours(cls) else f"{cls.__module__}:{name}"


def is_ours(cls: type) -> bool:
    """Whether a class is defined in this package."""
    return cls.__module__.split(".")[0] == __package__.split(".")[0]


def plain_number(value: object) -> str:
    """A parameter value as written in a name: 2 rather than 2.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
