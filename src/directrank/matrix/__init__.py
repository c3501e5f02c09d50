"""Access to X by rows, columns and bins, and its scaling and binning; dense or sparse, in memory or memory-mapped."""
