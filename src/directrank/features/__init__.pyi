from .adarank_text_features import (
    ADARANK_FEATURES as ADARANK_FEATURES,
    LogBM25 as LogBM25,
    LogCount as LogCount,
    LogIdf as LogIdf,
    LogRarity as LogRarity,
    LogShare as LogShare,
    LogShareIdf as LogShareIdf,
    LogShareRarity as LogShareRarity,
)
from .query_scalers import (
    QueryMinMax as QueryMinMax,
    QueryPercentile as QueryPercentile,
)
from .score_binner import (
    Curve as Curve,
    ScoreBinner as ScoreBinner,
)
from .web_features import (
    with_web_features as with_web_features,
)
