from .description import (
    Description as Description,
    describe as describe,
)
from .errors import (
    InputError as InputError,
    InputWarning as InputWarning,
)
from .formats.engine_logs.engine_log import (
    EngineLog as EngineLog,
    join_log as join_log,
    read_engine_log as read_engine_log,
)
from .formats.letor.reader import (
    read_letor as read_letor,
)
from .formats.letor.writer import (
    write_letor as write_letor,
)
from .formats.links import (
    read_links as read_links,
    read_urls as read_urls,
)
from .formats.parquet.reader import (
    read_parquet as read_parquet,
)
from .formats.parquet.writer import (
    write_parquet as write_parquet,
)
from .formats.scores import (
    read_scores as read_scores,
    write_scores as write_scores,
)
from .formats.texts.documents import (
    Document as Document,
    read_documents as read_documents,
)
from .formats.texts.topics import (
    read_queries as read_queries,
)
from .formats.trec.joining import (
    join_runs as join_runs,
    join_table as join_table,
    judge as judge,
)
from .formats.trec.runs_and_qrels import (
    Qrels as Qrels,
    Run as Run,
    as_run as as_run,
    read_qrels as read_qrels,
    read_run as read_run,
    write_qrels as write_qrels,
    write_run as write_run,
)
from .overlap import (
    Overlap as Overlap,
    find_overlap as find_overlap,
)
from .ranking_data import (
    Queries as Queries,
    RankingData as RankingData,
)
from .split_folders import (
    write_splits as write_splits,
)
from .splits import (
    FoldRows as FoldRows,
    QueryKFold as QueryKFold,
    QueryTrials as QueryTrials,
    Split as Split,
    fold_rows as fold_rows,
    letor_folds as letor_folds,
    read_split as read_split,
    train_validation_test as train_validation_test,
)
