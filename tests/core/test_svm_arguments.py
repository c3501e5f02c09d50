"""Kernels of the structural SVMs reject wrong arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wrong_arguments import refuses

from directrank.core import bundle, dual, risk

PLANES, VECTOR, OFFSETS = np.eye(3, 4), np.ones(4), np.array([0, 1, 4])

KERNELS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "solve": (dual.solve, (PLANES, np.ones(3), 1.0, np.zeros(3), 100)),
    "orthogonalise": (bundle.orthogonalise, (VECTOR.copy(), PLANES)),
    "add_multiple": (bundle.add_multiple, (VECTOR.copy(), 2.0, VECTOR)),
    "interpolate": (risk.interpolate, (VECTOR, VECTOR, 0.5)),
    "products": (risk.products, (VECTOR, VECTOR, VECTOR)),
    "weight": (risk.weight, (VECTOR, OFFSETS, np.ones(2))),
}


@pytest.mark.parametrize("name", KERNELS)
def test_wrong_arrays_are_rejected(name: str) -> None:
    kernel, arguments = KERNELS[name]
    kernel(*arguments)
    for i, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            longer = np.ones(np.add(argument.shape, 1), argument.dtype)
            for wrong in (longer, argument.astype(np.float32), argument[None], np.repeat(argument, 2, axis=-1)[..., ::2]):
                refuses(kernel, arguments, i, wrong)


@pytest.mark.parametrize("offsets", [[0, 5, 4], [1, 2, 4], [0, 1, 5], [0, -1, 4]])
def test_wrong_offsets_are_rejected(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match=r"offsets|array of length"):
        risk.weight(VECTOR, np.array(offsets), np.ones(2))


def test_a_read_only_output_is_rejected() -> None:
    constant = VECTOR.copy()
    constant.flags.writeable = False
    with pytest.raises(TypeError):
        bundle.add_multiple(constant, 1.0, VECTOR)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_a_dual_of_any_planes_ends(odd: float) -> None:
    planes, offsets = np.random.default_rng(0).standard_normal((2, 5, 5))
    planes[2, 3] = odd
    alpha, w, _ = dual.solve(planes, offsets[0].copy(), 1.0, np.zeros(5), 600)
    assert alpha.size == 5 and w.size == 5
