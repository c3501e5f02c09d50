"""``directrank demo``: a complete example on real text that every machine has."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.common import AsJson, MeasureOption


def demo(
    measure: MeasureOption = "AP",
    learners: Annotated[
        list[str] | None,
        typer.Option("--learner", metavar="LEARNER", help="Learner to train. May be repeated. All learners by default."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Use a fifth of the queries and fewer documents for each.")] = False,
    as_json: AsJson = False,
) -> None:
    """Learn to search the docstrings of NumPy, SciPy and scikit-learn.

    A query is the summary line of a function; the relevant documents are the rest of its docstring and the functions in its
    "See Also" section. Retrieval functions score the documents, and learners combine the scores for the measure you name;
    all are evaluated on held-out queries. directrank best does the same for your own data.
    """
    from ..actions.demo import DemoOptions, run

    run(DemoOptions(measure, learners, quick, as_json))
