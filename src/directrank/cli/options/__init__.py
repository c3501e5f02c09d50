"""Options that several commands share, and the parsing of their values.

`commands` imports these modules, so they must not import NumPy at the top; `ranges`, which is for actions, may.
"""
