"""The same learners on a Dask cluster: shards of whole queries that live on workers (extra ``dask``).

>>> from dask.distributed import Client  # doctest: +SKIP
>>> client = Client("tcp://scheduler:8786")  # doctest: +SKIP
>>> model = train(SVMRanker("AP"), read_parquet("train/*.parquet"))  # doctest: +SKIP
"""

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:
    raise ImportError("directrank.distributed needs Dask: pip install 'directrank[dask]'") from error

from .sharded_data import ShardedData
from .sources import from_arrays, from_dataframe, read_parquet
from .training import evaluate, predict, train
from .workers import ClusterError

__all__ = ["ClusterError", "ShardedData", "evaluate", "from_arrays", "from_dataframe", "predict", "read_parquet", "train"]
