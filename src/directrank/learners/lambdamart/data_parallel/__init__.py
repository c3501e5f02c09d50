"""LambdaMART on a cluster: LightGBM's data-parallel trees, grown by the workers that hold the rows."""
