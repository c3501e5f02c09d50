"""The boosters of a training: one for each seed, all on the same data, here or where the rows are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import lightgbm as lgb

from ...measures import SupportsEvaluate
from ...models import TreesModel
from ...models.trees.tree import MAX_DEPTH
from ..core.content_keys import by_content
from ..core.monitoring import Watchlist
from ..core.shards import Shards
from ..core.task import with_measure
from .bags import VALIDATION, Bags
from .common_bins import CommonBins
from .elsewhere import DistributedBags, plan_name
from .feature_settings import FeatureSettings
from .gradients import Gradients, MeanValue, scale_of
from .lightgbm import (
    boosting_type,
    check_for_several_places,
    dataset,
    handed_on,
    samples_by_gradient,
    seeds_of,
    thread_settings,
)
from .places import Plan
from .sampling import Sample, sampling_of
from .start import scores_to_start_from


@dataclass(frozen=True)
class TreeSettings:
    """How trees are grown.

    Attributes
    ----------
    own : dict
        LightGBM's parameters that LambdaMART has by the same name.
    given : dict
        Others that the user gives.
    seed : int
        That of the first bag.
    n_bags : int
    features : FeatureSettings
        What is said of single features.
    """

    own: dict[str, Any]
    given: dict[str, Any]
    seed: int
    n_bags: int
    features: FeatureSettings

    @property
    def is_dart(self) -> bool:
        return boosting_type(self.given) == "dart"

    @property
    def categorical_features(self) -> list[int]:
        return self.features.categorical(self.given.get("categorical_feature", "auto"))

    def for_data(self) -> dict[str, Any]:
        """LightGBM's parameters: ours, and those handed on to it."""
        return {
            **thread_settings(self.given),
            "objective": "none",
            "metric": "none",
            "verbosity": -1,
            **self.own,
            "seed": self.seed,
            "deterministic": True,
            "force_col_wise": True,  # sums of histograms do not depend on the number of threads
            "feature_pre_filter": False,  # which would leave a small data set without features
            **({"max_depth": MAX_DEPTH} if self.own["num_leaves"] > MAX_DEPTH else {}),  # what a model may have
            **self.features.of_each(handed_on(self.given)),
        }

    def of_bag(self, bag: int) -> dict[str, Any]:
        """The same with the seeds of a bag."""
        return {**self.for_data(), **seeds_of(self.given, self.seed, bag)}

    def sample_of_bag(self, bag: int, training: Shards) -> Sample | None:
        """The queries that a bag draws."""
        return Sample.of(training, sampling_of(self.given, seeds_of(self.given, self.seed, bag)["seed"]))


@dataclass(frozen=True)
class LambdaObjective:
    """What the trees follow: the lambdas of a measure.

    Attributes
    ----------
    sigma : float
        The steepness of the pairs' cost.
    measure : measure
        By which rounds are measured; that of the lambdas is bound to the training queries.
    start : TreesModel, optional
        What the trees start from.
    watched : Watchlist, optional
        Sets that are watched round after round.
    """

    sigma: float
    measure: SupportsEvaluate
    start: TreesModel | None
    watched: Watchlist | None


def bags_of(
    settings: TreeSettings, pursuit: LambdaObjective, training: Shards, validation: Shards | None, n_rounds: int
) -> Bags | DistributedBags:
    """A booster for each seed, for so many rounds at most."""
    if training.tasks is None:
        return _bags_elsewhere(settings, pursuit, training, validation, n_rounds)
    return _bags_here(settings, pursuit, training, validation)


def _bags_here(settings: TreeSettings, pursuit: LambdaObjective, training: Shards, validation: Shards | None) -> Bags:
    in_order = samples_by_gradient(settings.given)
    training = training.map(by_content) if in_order else training
    assert training.tasks is not None
    train = _data_set(settings, pursuit.start, training, in_order)
    held_out = None if validation is None else _data_set(settings, pursuit.start, validation, False, reference=train)
    boosters, gradients, scale = [], [], scale_of(training, pursuit.sigma)
    for bag in range(settings.n_bags):
        boosters.append(lgb.Booster(settings.of_bag(bag), train))
        if held_out is not None:
            boosters[-1].add_valid(held_out, VALIDATION)
        sample = settings.sample_of_bag(bag, training)
        gradients.append(Gradients(training.tasks, pursuit.sigma, scale, in_order, sample))
    of_validation = None if validation is None else MeanValue(validation)
    of_training = MeanValue(training.map(with_measure, pursuit.measure), in_order)
    return Bags(boosters, gradients, of_training, of_validation, settings.is_dart, pursuit.watched)


def _bags_elsewhere(
    settings: TreeSettings, pursuit: LambdaObjective, training: Shards, validation: Shards | None, n_rounds: int
) -> DistributedBags:
    check_for_several_places(settings.given)
    of_bags = [settings.of_bag(bag) for bag in range(settings.n_bags)]
    bins = CommonBins.of(training, of_bags[0], settings.categorical_features)
    scale = scale_of(training, pursuit.sigma)
    plan = Plan(plan_name(), of_bags, bins, pursuit.sigma, scale, pursuit.measure, pursuit.start)
    samples = [settings.sample_of_bag(bag, training) for bag in range(settings.n_bags)]
    return DistributedBags(training, validation, plan, samples, n_rounds)


def _data_set(
    settings: TreeSettings, start: TreesModel | None, shards: Shards, in_query_order: bool, **reference: Any
) -> lgb.Dataset:
    """The rows as LightGBM has them, with the scores to start from."""
    return dataset(
        shards,
        in_query_order,
        params=settings.for_data(),
        categorical_feature=settings.categorical_features,
        init_score=scores_to_start_from(start, shards, in_query_order),
        **reference,
    )
