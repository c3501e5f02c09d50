"""Saving and loading models as JSON, which contains no code."""

from __future__ import annotations

import json
import reprlib
from typing import Any

from ..data.io.files import PathLike, read_bytes, replacing
from .base import Model
from .composite.pipeline import pipeline_model
from .errors import ModelError
from .json_fields import check_content, field_of

FORMAT = "directrank model, version 2"


def save_model(path: PathLike, model: Any) -> None:
    """Save a model or a fitted learner to a file that `load_model` reads; gzip if the name ends in .gz.

    Parameters
    ----------
    path : path
        Replaced only once the new file is complete.
    model : Model, a fitted learner, or a fitted pipeline of scikit-learn
        The last step of a pipeline is a learner. The steps before it are `QueryMinMax`, `QueryPercentile`, `ScoreBinner` or
        scikit-learn's `StandardScaler`, `MinMaxScaler` and `MaxAbsScaler`.

    Raises
    ------
    ModelError
        If the model cannot be saved as numbers; the message says what to do instead.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.pipeline import make_pipeline
    >>> from directrank import RankSVM, load_model, routing, save_model
    >>> from directrank.datasets import make_ranking
    >>> from directrank.features import QueryMinMax
    >>> data, folder = make_ranking(20, random_state=0), Path(tempfile.mkdtemp())
    >>> save_model(folder / "model.json", RankSVM(C=1.0).fit(data.X, data.y, data.qid))
    >>> load_model(folder / "model.json").predict(data.X).shape == data.y.shape
    True

    A model that scales features within queries has to know them:

    >>> with routing():
    ...     pipeline = make_pipeline(QueryMinMax(), RankSVM(C=1.0)).fit(data.X, data.y, qid=data.qid)
    >>> save_model(folder / "scaled.json", pipeline)
    >>> load_model(folder / "scaled.json").predict(data.X, qid=data.qid).shape == data.y.shape
    True
    """
    text = dumps(model)
    with replacing(path) as file:
        file.write(text.encode())


def load_model(path: PathLike, *, trusted: bool = False) -> Model:
    """Read a model that `save_model` or ``directrank train`` wrote.

    Parameters
    ----------
    path : path
    trusted : bool
        Whether custom measures named in the file may be imported. Loading and predicting import nothing; but
        `directrank.measures.parse` resolves a custom measure in the model's provenance, such as ``module:Name``, only if
        its module has been imported already, or if the file is trusted.

    Returns
    -------
    Model
        With `predict` and `provenance`.

    Raises
    ------
    ModelError
        If the file is not a valid model.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from directrank import AdaRank, load_model, save_model
    >>> from directrank.datasets import make_ranking
    >>> data, file = make_ranking(20, random_state=0), Path(tempfile.mkdtemp()) / "model.json"
    >>> save_model(file, AdaRank("AP").fit(data.X, data.y, data.qid))
    >>> model = load_model(file)
    >>> model.provenance.learner, model.provenance.measure
    ('AdaRank', 'AP')
    """
    try:
        return loads(_text_of(path), trusted=trusted)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def dumps(model: Any) -> str:
    """A model or a fitted learner as JSON text, with a line for each field and for each tree or model in it."""
    content = {"format": FORMAT, **as_model(model).to_dict()}
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {_line(value)}" for name, value in content.items()) + "\n}\n"


def loads(text: str, *, trusted: bool = False) -> Model:
    """The model of a text that `dumps` wrote; see `load_model`."""
    try:
        content = _json_of(text)
        wanted = field_of(content, "format")
        if wanted != FORMAT:
            raise ModelError(f"this is a {reprlib.repr(wanted)}, not a {FORMAT!r}")
        model = Model.from_dict(content)
    except ModelError as error:
        raise ModelError(f"this is not a model of directrank, or not a complete one: {error}") from error
    return model.trusted() if trusted else model


def as_model(model: Any) -> Model:
    """The model of a fitted learner or pipeline; a model is returned unchanged."""
    found = getattr(model, "model_", model)
    if isinstance(found, Model):
        return found
    if isinstance(getattr(model, "steps", None), list):
        return pipeline_model(model.steps, as_model)
    what = f"{type(model).__name__} is neither a model nor a fitted learner of directrank"
    raise ModelError(f"{what}{_what_to_do(model)}")


def _what_to_do(model: Any) -> str:
    """Advice for an object without a model."""
    if hasattr(model, "best_estimator_"):
        return "; take its best_estimator_"
    if not hasattr(model, "fit"):
        return ""
    is_ours = type(model).__module__.partition(".")[0] == __package__.partition(".")[0]
    return "; call fit first" if is_ours else "; keep it with joblib.dump"


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
        raise ModelError("it has an integer with too many digits") from error
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
