"""Errors of learners in the terms of the command: the file, the feature as the file calls it, and which option helps."""

from __future__ import annotations

from collections.abc import Sequence

from ...data import InputError, RankingData
from ...measures import MeasureError
from ...selection.feature_errors import feature_error

#: Advice for a custom learner that does not accept missing values.
MISSING_ADVICE = "fill them in (logs: directrank convert --missing 0), or use a learner of directrank"


def error_of_training(error: ValueError, sets: Sequence[tuple[str, RankingData]]) -> ValueError:
    """Error to raise in place of an error of a learner.

    Parameters
    ----------
    error : ValueError
    sets : sequence of (name, data)
        Training data, and validation data if there is any; empty on a cluster, whose errors name the shard.
    """
    for file, data in sets:
        found = feature_error(error, data)
        if found is not None:
            return InputError(f"{file}: {found.problem}; {MISSING_ADVICE if found.is_missing else found.advice}")
    if isinstance(error, (InputError, MeasureError)):
        return error
    where = f"{sets[0][0]}: " if sets else ""
    return InputError(f"{where}{str(error).splitlines()[0]}")  # raised by scikit-learn or LightGBM
