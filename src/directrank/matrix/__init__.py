"""How X is traversed: rows, columns and bins, dense or sparse, in memory or mapped."""
