"""The same learners on a Dask cluster, on shards of whole queries held by its workers (extra ``dask``).

>>> from dask.distributed import Client  # doctest: +SKIP
>>> client = Client("tcp://scheduler:8786")  # doctest: +SKIP
>>> model = train(SVMRanker("AP"), read_parquet("train/*.parquet"))  # doctest: +SKIP
"""

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:
    raise ImportError("directrank.distributed needs Dask: pip install 'directrank[dask]'") from error

from .api import evaluate, predict, train
from .cluster import ClusterError
from .lambdamart import ensemble as _ensemble  # noqa: F401 -- registers LambdaMART's ensemble for DaskShards
from .sharded_data import ShardedData
from .sources import from_arrays, from_dataframe, read_parquet

__all__ = ["ClusterError", "ShardedData", "evaluate", "from_arrays", "from_dataframe", "predict", "read_parquet", "train"]


def __dir__() -> list[str]:
    return __all__
