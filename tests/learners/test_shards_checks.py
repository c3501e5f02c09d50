"""The public checks of shards: of every kind that is here, of a third one in processes, and of kinds with a fault each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from process_shards import ProcessShards, Source, Workers, forget

from directrank import InputError, RankBoost, RankingData
from directrank.learners import LEARNERS, LambdaMART, LocalShards, Task, args_of_shard
from directrank.learners.shards_checks.check_data import make_parts
from directrank.learners.shards_checks.learner_checks import learners_to_check
from directrank.learners.testing import check_shards, shards_checks
from directrank.measures import AP

CHECKS = list(shards_checks())


def in_process(kind: type[LocalShards]):
    return lambda parts: kind.from_data(parts, AP())


class Forgetful(LocalShards):
    """Shards that are lost and made anew before each step."""

    def each(self, step, *args):
        for task in self.tasks:
            task.memory.clear()
        return super().each(step, *args)

    def map(self, change, *args):
        return type(self)(super().map(change, *args).tasks)


@pytest.mark.parametrize("kind", [LocalShards, Forgetful], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_shards_in_this_process(check, kind: type[LocalShards]) -> None:
    check(in_process(kind))


def test_names_differ_and_every_learner_is_checked() -> None:
    names = [str(check) for check in CHECKS]
    assert len(set(names)) == len(names) and all(check.name == str(check) for check in CHECKS)
    checked = {type(learner).__name__ for learner in learners_to_check()} | {LambdaMART.__name__}
    assert checked == {entry.class_name for entry in LEARNERS.values()}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_learners_learn_something_from_the_data() -> None:
    parts = make_parts()
    for learner in learners_to_check():
        found = learner.fit_shards(LocalShards.from_data(parts, AP()))
        assert np.ptp(found.model_.predict(parts[0].X, parts[0].qid)) > 0, learner


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_a_kind_written_from_the_documentation(check, workers: Workers) -> None:
    check(lambda parts: ProcessShards(Source(workers, parts)))


class Unreliable(ProcessShards):
    """Shards that lose their tasks before every third step."""

    n_steps = 0

    def each(self, step, *args):
        Unreliable.n_steps += 1
        if Unreliable.n_steps % 3 == 0:
            super().each(forget)
        return super().each(step, *args)


def test_lost_tasks_and_a_worker_that_dies_change_no_bit(workers: Workers, tmp_path) -> None:
    for check in CHECKS:
        if "RankBoost" in str(check) or str(check) in ("memory", "map", "lost memory"):
            check(lambda parts: Unreliable(Source(workers, parts)))
    parts = make_parts()
    shards, wanted = ProcessShards(Source(workers, parts)), LocalShards.from_data(parts, AP())
    first = RankBoost(n_estimators=5).fit_shards(shards)
    flag = tmp_path / "died"
    assert shards.map(dies_once, str(flag)).each(number_of) == [0, 1, 2] and flag.exists()
    again = RankBoost(n_estimators=5).fit_shards(shards)
    for model in (first, again):
        np.testing.assert_array_equal(model.alphas_, RankBoost(n_estimators=5).fit_shards(wanted).alphas_)


def dies_once(task: Task, flag: str) -> Task:
    """A change that ends the worker of the second shard, the first time."""
    import os
    from pathlib import Path

    if task.number == 1 and not Path(flag).exists():
        Path(flag).touch()
        os._exit(1)
    return task


def number_of(task: Task) -> int:
    return task.number


class Unordered(LocalShards):
    def each(self, step, *args):
        return super().each(step, *args)[::-1]


class Unnumbered(LocalShards):
    @classmethod
    def from_data(cls, parts: Sequence[RankingData], measure):
        made = super().from_data(parts, measure)
        for task in made.tasks:
            task.number = 0
        return made


class WithoutPerShard(LocalShards):
    def each(self, step, *args):
        return [step(task, *args) for task in self.tasks]


class InPlace(LocalShards):
    def map(self, change, *args):
        self.tasks[:] = super().map(change, *args).tasks
        return self


class SharedMemory(LocalShards):
    def each(self, step, *args):
        for task in self.tasks:
            task.memory = self.tasks[0].memory
        return super().each(step, *args)


class Swallowing(LocalShards):
    def each(self, step, *args):
        found = []
        for task in self.tasks:
            try:
                found.append(step(task, *args_of_shard(args, task.number)))
            except Exception as error:
                raise RuntimeError(f"a step failed: {error}") from error
        return found


class AddedBackwards(LocalShards):
    def total(self, step, *args):
        return sum(part for part in reversed(self.each(step, *args)) if not isinstance(part, tuple))


class Narrow(LocalShards):
    def map(self, change, *args):
        made = super().map(change, *args)
        made.n_features = 1
        return made


class InSinglePrecision(LocalShards):
    @classmethod
    def from_data(cls, parts: Sequence[RankingData], measure):
        return super().from_data([RankingData(p.X.astype(np.float32), p.y, p.qid) for p in parts], measure)


class HalfOfTheRanks(LocalShards):
    def run_collective(self, work, *args):
        return [(rank + 1, n, numbers[1:]) for rank, n, numbers in super().run_collective(work, *args)]


@pytest.mark.parametrize(
    ("kind", "name", "fault"),
    [
        (Unordered, "order of results", r"order of the shards \[2, 1, 0\]; the first shard was the slowest"),
        (Unnumbered, "tasks", "the task of shard 1 has the number 0"),
        (WithoutPerShard, "arguments", "the arguments of steps are"),
        (InPlace, "map", "map changes the tasks that it was called on|are not those that the change makes"),
        (SharedMemory, "memory", "the memory of shard 1 counts 2 after 0: neither kept nor lost"),
        (
            Swallowing,
            "errors",
            "a step fails with InputError, and RuntimeError is raised: a step failed: query 'q' is wrong",
        ),
        (AddedBackwards, "sums", "results are to be added in the order of the shards"),
        (Narrow, "features", "n_features is 1 for 6 features"),
        (
            InSinglePrecision,
            "same bits of RankSVM(AUC)",
            r"the scores of RankSVM\(AUC\) differ from those in one process",
        ),
        (HalfOfTheRanks, "collective work", r"results are in the order of the ranks \[1\]"),
    ],
)
def test_a_fault_is_found_by_the_check_of_its_promise(kind: type[LocalShards], name: str, fault: str) -> None:
    (check,) = (check for check in CHECKS if str(check) == name)
    with pytest.raises(AssertionError, match=fault):
        check(in_process(kind))
    with pytest.raises(AssertionError):
        check_shards(in_process(kind))


def test_shards_without_collective_work(workers: Workers) -> None:
    shards = ProcessShards(Source(workers, make_parts()))
    with pytest.raises(InputError, match="ProcessShards has no run_collective"):
        shards.run_collective(number_of)
    with pytest.raises(InputError, match="LambdaMART cannot grow trees from ProcessShards; register a function with make"):
        LambdaMART("AP").fit_shards(shards)
    assert shards.each(number_of) == [0, 1, 2]
