from .cross_validation import (
    CrossValidation as CrossValidation,
    cross_validate as cross_validate,
)
from .model_search import (
    Choice as Choice,
    best as best,
)
from .parameter_search import (
    Tuning as Tuning,
    tune as tune,
)
from .space_validation import (
    AlongPath as AlongPath,
    Between as Between,
    OneOf as OneOf,
)
from .trials import (
    Trial as Trial,
)
