"""How X is passed over: rows, columns and bins, dense or sparse, in memory or mapped."""
