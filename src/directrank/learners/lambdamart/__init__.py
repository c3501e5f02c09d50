"""LambdaMART on LightGBM's trees."""

from .sleeping_threads import load_lightgbm as _load_lightgbm

_load_lightgbm()
