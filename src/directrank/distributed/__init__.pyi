from .api import (
    evaluate as evaluate,
    predict as predict,
    train as train,
)
from .cluster import (
    ClusterError as ClusterError,
)
from .sharded_data import (
    ShardedData as ShardedData,
)
from .sources import (
    from_arrays as from_arrays,
    from_dataframe as from_dataframe,
    read_parquet as read_parquet,
)
