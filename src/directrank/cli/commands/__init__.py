"""The commands: their arguments, options and help, a file each.

Nothing here may import NumPy, so that help is fast. The work of a command is in the file of the same name in `actions`,
which is imported when the command is called.
"""
