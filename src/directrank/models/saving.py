"""Models as JSON: what was learned, how, and nothing that is run when it is read."""

from __future__ import annotations

import json
import reprlib
from typing import Any

from ..data.bytes.files import PathLike, read_bytes, replacing
from .base import Model
from .checks import ModelError, check_content, field_of
from .version_1 import FORMAT as FORMAT_1
from .version_1 import model_of_version_1

FORMAT = "directrank model, version 2"


def save_model(path: PathLike, model: Any) -> None:
    """Write a model, or what a learner has learned, to a file that `load_model` reads; gzip if the name ends in .gz.

    Parameters
    ----------
    path : path
        Replaced only when the new file is whole.
    model : Model, or a fitted learner
    """
    text = dumps(model)
    with replacing(path) as file:
        file.write(text.encode())


def load_model(path: PathLike, *, trusted: bool = False) -> Model:
    """Read a model that `save_model` or ``directrank train`` wrote, files of version 0.1 included.

    Parameters
    ----------
    path : path
    trusted : bool
        Whether the measures that the file names may be imported. Nothing is imported here, and no measure is needed to
        predict; but a custom measure in the model's provenance, such as ``module:Name``, is only found by
        `directrank.measures.parse` if its module is imported already, or if the file is trusted.

    Raises
    ------
    ModelError
        That names the file and what is wrong with it.
    """
    try:
        return loads(_text_of(path), trusted=trusted)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def dumps(model: Any) -> str:
    """A model, or what a learner has learned, as text: a line for each field, and for each tree or model in it."""
    content = {"format": FORMAT, **as_model(model).to_dict()}
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {_line(value)}" for name, value in content.items()) + "\n}\n"


def loads(text: str, *, trusted: bool = False) -> Model:
    """The model of a text that `dumps` wrote; see `load_model`."""
    try:
        content = _json_of(text)
        wanted = field_of(content, "format")
        if wanted == FORMAT_1:
            model = model_of_version_1(content)
        elif wanted == FORMAT:
            model = Model.from_dict(content)
        else:
            raise ModelError(f"this is a {reprlib.repr(wanted)}, not a {FORMAT!r}")
    except ModelError as error:
        raise ModelError(f"this is not a model of directrank, or not a complete one: {error}") from error
    return model.trusted() if trusted else model


def as_model(model: Any) -> Model:
    """A model, or that of a fitted learner."""
    found = getattr(model, "model_", model)
    if isinstance(found, Model):
        return found
    raise ModelError(f"{type(model).__name__} is neither a model nor a fitted learner of directrank")


def _text_of(path: PathLike) -> str:
    try:
        return read_bytes(path).tobytes().decode()
    except UnicodeDecodeError as error:
        raise ModelError(f"this is not a model of directrank: it is not UTF-8 text (byte {error.start})") from error


def _json_of(text: str) -> Any:
    try:
        content = json.loads(text, object_pairs_hook=_without_repetition)
    except RecursionError as error:
        raise ModelError("it is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise ModelError(f"it is not JSON ({error})") from error
    except ModelError:
        raise
    except ValueError as error:  # of Python's limit on the digits of an integer
        raise ModelError("it has an integer of too many digits") from error
    check_content(content)
    return content


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ModelError(f"it has the field {reprlib.repr(name)} twice")
        content[name] = value
    return content


def _line(value: Any) -> str:
    """JSON on one line, or a line for each object of a list."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n  " + ",\n  ".join(json.dumps(part) for part in value) + "\n ]"
    return json.dumps(value)
