"""``directrank demo``: the main job, on real text that every machine has."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.common import AsJson


def demo(
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure you are judged by.")] = "AP",
    learners: Annotated[
        list[str] | None, typer.Option("--learner", help="Which to train; may be repeated. All by default.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A fifth of the queries, fewer documents of each.")] = False,
    as_json: AsJson = False,
) -> None:
    """Learn to search the docstrings of NumPy, SciPy and scikit-learn.

    A query is the summary of a function, and to be found are the function, by the rest of its docstring, and those that its
    "See Also" names. Retrieval functions score the documents, learners combine them for the measure you name, and both are
    measured on queries that their models have not seen: directrank best does the same for your own data.
    """
    from ..actions.demo import show_docstrings

    show_docstrings(measure, learners, quick, as_json)
