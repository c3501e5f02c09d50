"""LambdaMART on LightGBM's trees."""
