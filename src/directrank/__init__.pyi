from . import (
    data as data,
    datasets as datasets,
    evaluation as evaluation,
    features as features,
    fusion as fusion,
    learners as learners,
    measures as measures,
    models as models,
    retrieval as retrieval,
    selection as selection,
)
from .core.num_threads import get_num_threads as get_num_threads, set_num_threads as set_num_threads
from .data import (
    EngineLog as EngineLog,
    InputError as InputError,
    Qrels as Qrels,
    RankingData as RankingData,
    Run as Run,
    join_log as join_log,
    join_runs as join_runs,
    read_engine_log as read_engine_log,
    read_letor as read_letor,
    read_parquet as read_parquet,
    read_qrels as read_qrels,
    read_run as read_run,
    write_letor as write_letor,
    write_parquet as write_parquet,
    write_qrels as write_qrels,
    write_run as write_run,
)
from .evaluation.evaluate import evaluate as evaluate, evaluate_run as evaluate_run
from .evaluation.evaluation_result import Evaluation as Evaluation
from .evaluation.local_optimality import (
    LocalOptimality as LocalOptimality,
    local_optimality as local_optimality,
)
from .evaluation.report import (
    Report as Report,
    compare_all as compare_all,
)
from .evaluation.significance import (
    Comparison as Comparison,
    compare as compare,
)
from .learners import (
    AdaRank as AdaRank,
    CoordinateAscent as CoordinateAscent,
    EnsembleSelection as EnsembleSelection,
    LambdaMART as LambdaMART,
    MultivariateSVC as MultivariateSVC,
    OneVsRestSVM as OneVsRestSVM,
    RankBoost as RankBoost,
    RankSVM as RankSVM,
    SmoothRank as SmoothRank,
    SVMRanker as SVMRanker,
    ranking_scorer as ranking_scorer,
    routing as routing,
)
from .measures import (
    ContingencyMeasure as ContingencyMeasure,
    Measure as Measure,
    MeasureError as MeasureError,
)
from .models import (
    Model as Model,
    ModelError as ModelError,
    load_model as load_model,
    save_model as save_model,
)
from .version import __version__ as __version__
