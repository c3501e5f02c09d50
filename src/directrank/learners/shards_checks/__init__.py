"""Checks of a kind of `Shards`, for `directrank.learners.testing`."""
