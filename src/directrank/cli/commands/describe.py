"""``directrank describe``: print statistics of a data set, and warnings."""

from __future__ import annotations

from ..options.common import AsJson, DataArgument
from ..options.feature_names import FeatureNames
from ..options.max_size import MaxSize


def describe(
    file: DataArgument,
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Print statistics of a data set, and warnings about problems for training.

    directrank describe train.txt
    """
    from ..actions.describe import DescribeOptions, run

    run(DescribeOptions(file, feature_names, as_json))
