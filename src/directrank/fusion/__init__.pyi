from .learned import (
    LearnedFusion as LearnedFusion,
    ScoreLearner as ScoreLearner,
    fuse_learned as fuse_learned,
)
from .models import (
    select_models as select_models,
)
from .unsupervised import (
    FUSIONS as FUSIONS,
    comb_mnz as comb_mnz,
    comb_sum as comb_sum,
    reciprocal_rank_fusion as reciprocal_rank_fusion,
    scaled_scores as scaled_scores,
)
