"""The option ``--feature-set``: the feature set that ``directrank features`` computes."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class FeatureSet(StrEnum):
    base = "base"
    adarank = "adarank"
    web = "web"


FeaturesOption = Annotated[
    FeatureSet,
    typer.Option(
        "--feature-set",
        help="Features: 15 retrieval scores (five functions on three indexes), the 7 of AdaRank's Table 2, or BM25 only, "
        "for web features as in its Table 4.",
    ),
]
