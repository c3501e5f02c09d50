"""The version of directrank."""

__version__ = "0.1.0"
