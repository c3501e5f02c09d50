"""What models that are made of a list of models have in common: how those are saved and trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

from .base import Model
from .checks import ModelError


class ModelOfModels(Model):
    """A model with a field `models`, a list of them."""

    models: Sequence[Model]

    def trusted(self) -> Self:
        return replace(super().trusted(), models=[model.trusted() for model in self.models])  # type: ignore[call-arg]

    @classmethod
    def _to_json(cls, value: Any) -> Any:
        return [model.to_dict() for model in value] if isinstance(value, list) else super()._to_json(value)

    @classmethod
    def _from_json(cls, name: str, value: Any) -> Any:
        if name != "models":
            return super()._from_json(name, value)
        if not isinstance(value, list):
            raise ModelError("its models must be a list")
        return [Model.from_dict(content) for content in value]
