"""The same learners on a Dask cluster, on shards of whole queries held by its workers (extra ``dask``).

>>> from dask.distributed import Client  # doctest: +SKIP
>>> client = Client("tcp://scheduler:8786")  # doctest: +SKIP
>>> model = train(SVMRanker("AP"), read_parquet("train/*.parquet"))  # doctest: +SKIP
"""

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:
    raise ImportError("directrank.distributed needs Dask: pip install 'directrank[dask]'") from error

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)  # names that __init__.pyi imports
