"""Click models: why users clicked what they did, estimated from a log."""

from .cascade import CascadeModel
from .click_model import ClickModel
from .dependent_click import DependentClickModel
from .dynamic_bayesian import DynamicBayesianModel
from .fit_click_model import CLICK_MODELS, fit_click_model
from .pair_parameter import PairParameter
from .perplexity import Perplexity
from .position_based import PositionBasedModel
from .simplified_dynamic import SimplifiedDynamicModel
from .user_browsing import UserBrowsingModel

__all__ = [
    "CLICK_MODELS",
    "CascadeModel",
    "ClickModel",
    "DependentClickModel",
    "DynamicBayesianModel",
    "PairParameter",
    "Perplexity",
    "PositionBasedModel",
    "SimplifiedDynamicModel",
    "UserBrowsingModel",
    "fit_click_model",
]
