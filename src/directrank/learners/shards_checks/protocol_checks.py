"""Checks of the steps of the `Shards` protocol."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats
from ...data import InputError
from ..core.shards import PerShard, Shards, Worker
from ..core.task import Task
from .check_data import N_FEATURES, MakeShards, in_this_process, make_parts, require


def _check_features(make: MakeShards) -> None:
    shards, parts = make(make_parts()), make_parts()
    for one in (shards, shards.map(_with_weights, 2.0)):
        require(isinstance(one, Shards), f"{type(one).__name__} is no subclass of Shards")
        require(one.n_features == N_FEATURES, f"n_features is {one.n_features} for {N_FEATURES} features")
        names = parts[0].feature_names
        known = one.feature_names is None or list(one.feature_names) == names
        require(known, f"feature_names are {one.feature_names} for {names}")


def _check_tasks(make: MakeShards) -> None:
    parts = make_parts()
    found = make(parts).each(_describe)
    require(len(found) == len(parts), f"each gives {len(found)} results for {len(parts)} parts")
    for number, (one, wanted) in enumerate(zip(found, in_this_process(parts).each(_describe), strict=True)):
        require(one["number"] == number, f"the task of shard {number} has the number {one['number']}")
        for name, values in wanted.items():
            same = np.array_equal(one[name], values)
            require(same, f"the task of shard {number} has another {name} than make_task gives it")


def _check_order(make: MakeShards) -> None:
    found = make(make_parts()).each(_slow_at_first)
    require(found == [0, 1, 2], f"results are in the order of the shards {found}; the first shard was the slowest")


def _check_arguments(make: MakeShards) -> None:
    shards, array = make(make_parts()), np.arange(1e5)
    listed, mapped = PerShard(["a", "b", "c"]), PerShard({0: 10, 1: 11, 2: 12})
    found = shards.each(_echo, listed, 7, mapped, None)
    wanted = [("a", 7, 10, None), ("b", 7, 11, None), ("c", 7, 12, None)]
    require(found == wanted, f"the arguments of steps are {found}; they should be {wanted}")
    for (echoed,) in shards.each(_echo, array):
        require(np.array_equal(echoed, array), "an array changes on its way to a step and back")
    require(shards.each(_echo) == [()] * 3, "a step without arguments gets some")


def _check_map(make: MakeShards) -> None:
    shards = make(make_parts())
    before = shards.each(_weights)
    doubled = shards.map(_with_weights, 2.0)
    apart = doubled.map(_with_weights, PerShard([1.0, 10.0, 100.0]))
    for name, one, factors in (("map", doubled, (2, 2, 2)), ("map of map with PerShard", apart, (2, 20, 200))):
        wanted = [factor * weights for factor, weights in zip(factors, before, strict=True)]
        same = all(np.array_equal(a, b) for a, b in zip(one.each(_weights), wanted, strict=True))
        require(same, f"the tasks of {name} are not those that the change makes")
        require(one.each(_number) == [0, 1, 2], f"the tasks of {name} have other numbers")
    same = all(np.array_equal(a, b) for a, b in zip(shards.each(_weights), before, strict=True))
    require(same, "map changes the tasks that it was called on")


def _check_memory(make: MakeShards) -> None:
    shards = make(make_parts())
    others = shards.map(_with_weights, 2.0)
    counts = [0] * 3
    for _ in range(3):
        for number, (count, owner) in enumerate(shards.each(_count_in_memory, "shards")):
            is_whole = count in (1, counts[number] + 1)
            require(is_whole, f"the memory of shard {number} counts {count} after {counts[number]}: neither kept nor lost")
            require(owner == (number, "shards"), f"the memory of shard {number} is that of {owner}")
            counts[number] = count
        for _, owner in others.each(_count_in_memory, "mapped"):
            require(owner[1] == "mapped", "shards and those that map makes of them share their memory")


def _check_errors(make: MakeShards) -> None:
    shards = make(make_parts())
    for error in (InputError("query 'q' is wrong"), _StepError("a step failed")):
        _check_raises(error, "a step", partial(shards.each, _fail_on_second, error))
        _check_raises(error, "map", partial(_each_after_map, shards, error))
    require(shards.each(_number) == [0, 1, 2], "shards cannot be used after a step has failed")


def _each_after_map(shards: Shards, error: Exception) -> list[int]:
    return shards.map(_fail_on_second, error).each(_number)


def _check_raises(error: Exception, name: str, call: Callable[[], Any]) -> None:
    try:
        call()
    except type(error) as raised:
        require(str(raised) == str(error), f"the message of {name} that fails is {raised} and not {error}")
    except Exception as raised:
        require(False, f"{name} fails with {type(error).__name__}, and {type(raised).__name__} is raised: {raised}")
    else:
        require(False, f"{name} fails, and nothing is raised")


def _check_sums(make: MakeShards) -> None:
    parts = make_parts()
    for step in (_uneven_sum, _uneven_array, _uneven_tuple):
        found, wanted = make(parts).total(step), in_this_process(parts).total(step)
        same = pickle.dumps(found) == pickle.dumps(wanted)
        require(same, f"total gives {found} and not {wanted}: results are to be added in the order of the shards")


def _check_side_by_side(make: MakeShards) -> None:
    first, second = make_parts(), make_parts(1, (5, 6))
    here, there = make(first), make(second)
    for _ in range(2):
        for shards, parts in ((here, first), (there, second)):
            found = shards.each(_count_documents)
            require(found == [len(part) for part in parts], "two sets of shards at the same time are mixed up")


def _check_collective(make: MakeShards) -> None:
    """Shards without `run_collective` pass, if they say so in one sentence."""
    shards = make(make_parts())
    try:
        found = shards.run_collective(_describe_worker)
    except InputError as error:
        require(type(shards).__name__ in str(error), f"run_collective does not say who lacks it: {error}")
        return
    ranks = [rank for rank, _, _ in found]
    require(ranks == list(range(len(found))), f"results are in the order of the ranks {ranks}; they should be in rank order")
    require(all(n == len(found) for _, n, _ in found), "n_workers is not the number of results")
    numbers = [numbers for _, _, numbers in found]
    require(all(one == sorted(one) for one in numbers), f"the tasks of workers are not in shard order: {numbers}")
    require(
        sorted(n for one in numbers for n in one) == [0, 1, 2], f"workers have the shards {numbers}, not each shard once"
    )


class _StepError(Exception):
    """An exception that no library knows."""


def _describe(task: Task) -> dict[str, Any]:
    queries = task.queries
    described = {"number": task.number, "X": np.asarray(task.X), "grades": task.bound.grades, "queries": queries.ids}
    return described | {"offsets": queries.offsets, "order": queries.order, "weights": task.weights, "given": task.given}


def _slow_at_first(task: Task) -> int:
    time.sleep(0.1 / (1 + 4 * task.number))
    return task.number


def _echo(task: Task, *args: Any) -> tuple[Any, ...]:
    return args


def _number(task: Task) -> int:
    return task.number


def _count_documents(task: Task) -> int:
    return task.n_documents


def _weights(task: Task) -> Floats:
    return task.weights


def _with_weights(task: Task, factor: float) -> Task:
    return replace(task, weights=factor * task.weights, memory={})


def _count_in_memory(task: Task, who: str) -> tuple[int, tuple[int, str]]:
    count, owner = task.memory.get("count", (0, (task.number, who)))
    task.memory["count"] = (count + 1, owner)
    return count + 1, owner


def _fail_on_second(task: Task, error: Exception) -> Task:
    if task.number == 1:
        raise error
    return task


def _uneven_sum(task: Task) -> float:
    """Numbers whose sum depends on the order of additions."""
    return (1e16, 1.0, -1e16)[task.number]


def _uneven_array(task: Task) -> Floats:
    return np.array([_uneven_sum(task), 0.1])


def _uneven_tuple(task: Task) -> tuple[float, int]:
    return _uneven_sum(task), task.n_documents


def _describe_worker(worker: Worker) -> tuple[int, int, list[int]]:
    return worker.rank, worker.n_workers, [task.number for task in worker.tasks]


#: Checks by name.
PROTOCOL_CHECKS: dict[str, Callable[[MakeShards], None]] = {
    "features": _check_features,
    "tasks": _check_tasks,
    "order of results": _check_order,
    "arguments": _check_arguments,
    "map": _check_map,
    "memory": _check_memory,
    "errors": _check_errors,
    "sums": _check_sums,
    "side by side": _check_side_by_side,
    "collective work": _check_collective,
}
