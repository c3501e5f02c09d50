"""Models as JSON: what was learned, how, and nothing that is run when it is read."""

from __future__ import annotations

import json
from typing import Any

from ..data.bytes.files import PathLike, read_bytes, replacing
from .base import Model, ModelError
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


def load_model(path: PathLike) -> Model:
    """Read a model that `save_model` or ``directrank train`` wrote, files of version 0.1 included.

    Raises
    ------
    ModelError
        That names the file and what is wrong with it.
    """
    try:
        return loads(read_bytes(path).tobytes().decode())
    except (ModelError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: {error}") from error


def dumps(model: Any) -> str:
    """A model, or what a learner has learned, as text."""
    return json.dumps({"format": FORMAT, **as_model(model).to_dict()}, indent=1) + "\n"


def loads(text: str) -> Model:
    """The model of a text that `dumps` wrote."""
    try:
        content = json.loads(text)
        if content["format"] == FORMAT_1:
            return model_of_version_1(content)
        if content["format"] != FORMAT:
            raise ModelError(f"this is a {content['format']!r}, not a {FORMAT!r}")
        return Model.from_dict(content)
    except ModelError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError, RecursionError) as error:
        raise ModelError(f"this is not a model of directrank, or not a whole one ({error})") from error


def as_model(model: Any) -> Model:
    """A model, or that of a fitted learner."""
    found = getattr(model, "model_", model)
    if isinstance(found, Model):
        return found
    if hasattr(model, "fit"):
        raise ModelError(f"{type(model).__name__} has not learned anything yet; fit it first")
    raise ModelError(f"{type(model).__name__} is neither a model nor a learner of directrank")
