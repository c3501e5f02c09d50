"""``directrank train``: learn a ranking, and write the model."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from ..data import InputError, RankingData
from ..evaluation import evaluate
from ..learners import LEARNERS
from ..measures import Measure, MeasureError, parse
from ..models import Model, as_model, save_model
from .cluster import ClusterOption, connected, one_file, read_sharded
from .ctrl_c import was_pressed
from .formats import MaxSize, check_target, read_data
from .learners import LearnerName, make_learner
from .matching import read_matching
from .output import note, print_json, print_line, print_table, spinner

#: What is said of data with queries to a learner that has no use for them.
ONE_SET = "this learner takes the whole file as one set, and the data has queries; use svm"


def train(
    files: Annotated[list[Path], typer.Argument(metavar="DATA...", help="LETOR text or Parquet; several with --cluster.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")],
    learner: Annotated[LearnerName, typer.Option(help="How to optimise; see docs/learners.md.")] = "svm",
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure to optimise.")] = "AP",
    validate: Annotated[Path | None, typer.Option(help="Data to choose by (C, how many rounds), and to measure.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner, such as C=10 or max_rounds=100."),
    ] = None,
    keep_partial: Annotated[
        bool, typer.Option("--keep-partial", help="Write the model so far when Ctrl-C ends the training.")
    ] = False,
    cluster: ClusterOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    max_size: MaxSize = None,
) -> None:
    """Learn a ranking that optimises a measure, and write the model.

    Ctrl-C ends the training with exit code 130 and leaves the model file as it was, unless --keep-partial is given.

    directrank train train.txt --validate vali.txt --measure AP -o model.json

    directrank train "train/*.parquet" --cluster tcp://scheduler:8786 --measure AP -o model.json
    """
    chosen = parse(measure)
    check_target(output, [*files, validate])
    if cluster is not None:
        trained = make_learner(learner, chosen, settings or [])
        with connected(cluster) as client:
            _train_on_cluster(client, trained, files, validate, chosen, _Keeping(output, keep_partial, as_json))
        return
    file = one_file(files)
    data = read_data(file)
    held_out = None if validate is None else read_matching(validate, data.n_features, data.feature_names)
    trained = make_learner(learner, chosen, settings or [])
    sets = [(file, data)] if validate is None or held_out is None else [(file, data), (validate, held_out)]
    for path, part in sets:
        if part.qid is None and getattr(trained, "expects_qid", False):
            note(f"{path} has no qid: all its {len(part):,} rows are taken as one query.")
    with _training(trained, sets):
        _fit(trained, LEARNERS[learner].learns_queries, *(data for _, data in sets))
    keeping = _Keeping(output, keep_partial, as_json)
    model = keeping.save(trained, data.feature_names)
    values = {str(file): evaluate(d.y, model.predict(d.X), d.qid, chosen)[chosen] for file, d in sets}
    keeping.report(trained, model, chosen, values)


class _Keeping(NamedTuple):
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
            raise KeyboardInterrupt(f"training was interrupted; {self.output} is as it was {advice}")
        model = as_model(trained).with_feature_names(feature_names)
        save_model(self.output, model)
        return model

    def report(self, trained: Any, model: Model, measure: Measure, values: dict[str, float]) -> None:
        """Print what a model reached, and end as an interrupted training does."""
        _report(model, measure, values, self.as_json)
        if _is_partial(trained):
            raise KeyboardInterrupt(f"training was interrupted; {self.output} has the model so far")


def _is_partial(trained: Any) -> bool:
    return bool(trained.interrupted_) or was_pressed()


def _train_on_cluster(
    client: Any, learner: Any, files: list[Path], validate: Path | None, measure: Measure, keeping: _Keeping
) -> None:
    from .. import distributed

    data = read_sharded(files, client)
    held_out = None if validate is None else read_sharded([validate], client)
    if learner.joins_shards and data.has_qid and data.n_queries > 1:
        raise InputError(ONE_SET)
    with _training(learner, []):
        distributed.train(learner, data, None if learner.joins_shards else held_out)
    model = keeping.save(learner, data.feature_names)
    sets = [(str(files[0]) if len(files) == 1 else f"{files[0]}, ...", data)]
    sets += [] if held_out is None else [(str(validate), held_out)]
    with spinner("Measuring"):
        values = {name: distributed.evaluate(model, some, measure)[measure] for name, some in sets}
    keeping.report(learner, model, measure, values)


@contextmanager
def _training(learner: Any, sets: list[tuple[Path, RankingData]]) -> Iterator[None]:
    """While the block fits a learner, show a line of progress; then note what there was to warn of."""
    from sklearn.exceptions import ConvergenceWarning  # here, for the help can do without scikit-learn

    with spinner("Training") as status, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        learner.set_params(callback=_show(status))
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


def _fit(learner: Any, learns_queries: bool, data: RankingData, held_out: RankingData | None = None) -> None:
    if learns_queries:
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


def _show(status: Any) -> Any:
    def update(number: int, step: object) -> None:
        status.update(f"Training: step {number}, {step}")

    return update


def _report(model: Model, measure: Measure, values: dict[str, float], as_json: bool) -> None:
    origin = model.provenance
    assert origin is not None
    if as_json:
        print_json({"measure": measure.name, "values": values, **origin.training})
        return
    print_table([measure.name, ""], values.items())
    if origin.training:
        print_table(["training", ""], [(name, f"{value:.4g}") for name, value in origin.training.items()])
    if origin.measure != measure.qualified_name:
        print_line(f"{origin.learner} optimises {origin.measure}; {measure.name} is what its ranking was measured by.")
