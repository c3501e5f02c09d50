"""Training as ``directrank train`` does it: the data, the learner, progress, the model, and what is said of it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..data import InputError, RankingData
from ..evaluation import evaluate
from ..measures import MeasureError, SupportsEvaluate, name_of, parse
from ..measures.naming import qualified_name_of
from ..models import Model, as_model, save_model
from .cluster import connected, one_file, read_sharded
from .ctrl_c import was_pressed
from .formats import note_one_query, read_data
from .learners import learns_queries, make_learner
from .matching import read_matching
from .output import note, print_json, print_line, print_table, spinner
from .own_learner import refuse_unsaved
from .progress import Progress
from .targets import shown

#: What is said of data with queries to a learner that has no use for them.
ONE_SET = "this learner takes the whole file as one set, and the data has queries; use svm"


class Wanted(NamedTuple):
    """What is to be learned, and from what; as the options have it."""

    files: list[Path]
    validate: Path | None
    learner: str
    measure: str
    settings: list[str]
    feature_names: str | None

    def make(self) -> tuple[Any, SupportsEvaluate]:
        """The learner and its measure; one whose model could not be written is refused."""
        measure = parse(self.measure)
        learner = make_learner(self.learner, measure, self.settings)
        refuse_unsaved(learner)
        return learner, measure


class Keeping(NamedTuple):
    """What becomes of a trained model.

    Attributes
    ----------
    output : Path
    keep_partial : bool
        Whether one whose training was interrupted is written.
    as_json : bool
    """

    output: Path
    keep_partial: bool
    as_json: bool

    def save(self, trained: Any, feature_names: Sequence[str] | None) -> Model:
        """Write the model of a learner, unless its training was interrupted."""
        if _is_partial(trained) and not self.keep_partial:
            advice = "(--keep-partial writes the model so far)"
            raise KeyboardInterrupt(f"training was interrupted; {shown(self.output)} is as it was {advice}")
        model = as_model(trained).with_feature_names(feature_names)
        save_model(self.output, model)
        return model

    def report(self, trained: Any, model: Model, measure: SupportsEvaluate, values: dict[str, float]) -> None:
        """Print what a model reached, and end as an interrupted training does."""
        if self.as_json:
            print_json(_as_json(self.output, model, measure, values))
        else:
            _print(model, measure, values)
        if _is_partial(trained):
            raise KeyboardInterrupt(f"training was interrupted; {shown(self.output)} has the model so far")


def train_here(wanted: Wanted, keeping: Keeping) -> None:
    """Train on this machine."""
    trained, measure = wanted.make()
    file = one_file(wanted.files)
    data = read_data(file, feature_names=wanted.feature_names)
    sets = [(file, data)]
    if wanted.validate is not None:
        sets.append((wanted.validate, read_matching(wanted.validate, data.n_features, data.feature_names)))
    for path, part in sets:
        if getattr(trained, "expects_qid", False):
            note_one_query(path, part)
    with _training(trained, measure, sets):
        _fit(trained, learns_queries(wanted.learner), *(data for _, data in sets))
    model = keeping.save(trained, data.feature_names)
    values = {str(file): evaluate(d.y, model.predict(d.X, _qid(d)), d.qid, measure)[measure] for file, d in sets}
    keeping.report(trained, model, measure, values)


def train_on_cluster(address: str, wanted: Wanted, keeping: Keeping) -> None:
    """Train on the workers of a Dask cluster."""
    if wanted.feature_names is not None:
        raise InputError("--feature-names is for LETOR text, and on a cluster data is Parquet, with names in it")
    learner, measure = wanted.make()
    with connected(address) as client:
        _train_with(client, learner, measure, wanted, keeping)


def _train_with(client: Any, learner: Any, measure: SupportsEvaluate, wanted: Wanted, keeping: Keeping) -> None:
    from .. import distributed

    files, validate = wanted.files, wanted.validate
    data = read_sharded(files, client)
    held_out = None if validate is None else read_sharded([validate], client)
    if learner.joins_shards and data.has_qid and data.n_queries > 1:
        raise InputError(ONE_SET)
    with _training(learner, measure, []):
        distributed.train(learner, data, None if learner.joins_shards else held_out)
    model = keeping.save(learner, data.feature_names)
    sets = [(str(files[0]) if len(files) == 1 else f"{files[0]}, ...", data)]
    sets += [] if held_out is None else [(str(validate), held_out)]
    with spinner("Measuring"):
        values = {name: distributed.evaluate(model, some, measure)[measure] for name, some in sets}
    keeping.report(learner, model, measure, values)


def _is_partial(trained: Any) -> bool:
    return bool(getattr(trained, "interrupted_", False)) or was_pressed()


@contextmanager
def _training(learner: Any, measure: SupportsEvaluate, sets: list[tuple[Path, RankingData]]) -> Iterator[None]:
    """While the block fits a learner, say how far it is; then note what there was to warn of."""
    with Progress(f"Training for {name_of(measure)}", "round") as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        if "callback" in learner.get_params():
            learner.set_params(
                callback=lambda number, step: progress.update(number, getattr(learner, "max_rounds_", None), str(step))
            )
        try:
            yield
        except ValueError as error:
            _refuse_missing(error, sets)
            if isinstance(error, (InputError, MeasureError)):
                raise
            where = f"{sets[0][0]}: " if sets else ""
            raise InputError(f"{where}{str(error).splitlines()[0]}") from error  # scikit-learn's and LightGBM's
    for warning in caught:
        note(str(warning.message))


def _fit(learner: Any, by_query: bool, data: RankingData, held_out: RankingData | None = None) -> None:
    if by_query:
        eval_set = None if held_out is None else (held_out.X, held_out.y, _qid(held_out))
        learner.fit(data.X, data.y, _qid(data), eval_set=eval_set)
    elif data.qid is not None and data.n_queries > 1:
        raise InputError(ONE_SET)
    else:
        learner.fit(data.X, data.y > 0)


def _refuse_missing(error: ValueError, sets: list[tuple[Path, RankingData]]) -> None:
    """If it is missing values that a learner refuses, say where they are and what to do."""
    for file, data in sets if "contains NaN" in str(error) else ():
        first = data.first_missing()
        if first is not None:
            feature = first + 1 if data.feature_names is None else repr(data.feature_names[first])
            what = f"the feature {feature} has missing values (NaN), which this learner refuses"
            advice = "fill them in (logs: directrank convert --missing 0), or use --learner lambdamart"
            raise InputError(f"{file}: {what}; {advice}") from error


def _qid(data: RankingData) -> Any:
    """The query of each row; one for all where the file has none, which has been said."""
    return np.zeros(len(data)) if data.qid is None else data.qid


def _as_json(output: Path, model: Model, measure: SupportsEvaluate, values: dict[str, float]) -> dict[str, Any]:
    origin = model.provenance
    assert origin is not None
    return {
        "model": str(output),
        "learner": origin.learner,
        "parameters": origin.parameters,
        "measure": name_of(measure),
        "values": values,
        **origin.training,
        "history": origin.history,
    }


def _print(model: Model, measure: SupportsEvaluate, values: dict[str, float]) -> None:
    origin = model.provenance
    assert origin is not None
    print_table([name_of(measure), ""], values.items())
    if origin.training:
        print_table(["training", ""], [(name, f"{value:.4g}") for name, value in origin.training.items()])
    if origin.measure != qualified_name_of(measure):
        print_line(f"{origin.learner} optimises {origin.measure}; {name_of(measure)} is what its ranking was measured by.")
