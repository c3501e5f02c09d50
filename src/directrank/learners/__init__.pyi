from .boosting.adarank import (
    AdaRank as AdaRank,
)
from .boosting.rankboost import (
    RankBoost as RankBoost,
)
from .core.monitoring import (
    Progress as Progress,
)
from .core.ranker import (
    Ranker as Ranker,
    routing as routing,
)
from .core.shards import (
    LocalShards as LocalShards,
    PerShard as PerShard,
    Shards as Shards,
    Worker as Worker,
    WorkersChangedError as WorkersChangedError,
    args_of_shard as args_of_shard,
)
from .core.task import (
    Task as Task,
    make_task as make_task,
)
from .lambdamart.boosting import (
    Ensemble as Ensemble,
    make_ensemble as make_ensemble,
)
from .lambdamart.data_parallel.ensemble import (
    make_distributed_ensemble as make_distributed_ensemble,
)
from .lambdamart.learner import (
    LambdaMART as LambdaMART,
)
from .linear.coordinate_ascent import (
    CoordinateAscent as CoordinateAscent,
)
from .linear.ensemble_selection import (
    EnsembleSelection as EnsembleSelection,
)
from .linear.smooth_rank import (
    SmoothRank as SmoothRank,
)
from .registry import (
    LEARNERS as LEARNERS,
)
from .scorer import (
    ranking_scorer as ranking_scorer,
)
from .svm.multivariate import (
    MultivariateSVC as MultivariateSVC,
)
from .svm.one_vs_rest import (
    OneVsRestSVM as OneVsRestSVM,
)
from .svm.ranksvm import (
    RankSVM as RankSVM,
)
from .svm.solution import (
    RegularizationPath as RegularizationPath,
)
from .svm.svm_ranker import (
    SVMRanker as SVMRanker,
)
