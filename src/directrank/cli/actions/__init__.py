"""The work of the commands, in a file named as the command: read, compute, print and write.

Each has a `run` that takes the options of the command. Modules with a leading underscore are shared by several commands.
"""
