"""``directrank clicks``: describe click logs, estimate their position bias, and judge by them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...clicks.bias_estimation.estimate import METHODS, estimate_bias
from ...clicks.click_judgments import judge_by_clicks
from ...clicks.log_description import describe_log
from ...clicks.position_bias import PositionBias
from ..console.output import print_json, print_sentence, print_table
from ..console.output_files import check_output_file, display_name
from ..console.progress import spinner
from ..options.click_logs import LogColumnOptions
from ._click_data import check_name, read_log
from ._data import display_files, noting_warnings

#: Width of the longest bar, in characters.
BAR = 30


def describe_logs(files: Sequence[str], columns: LogColumnOptions, as_json: bool) -> None:
    """Print the description of a log."""
    found = describe_log(read_log(files, columns.given()))
    if as_json:
        print_json(found.to_dict())
        return
    print_table([display_files(files), ""], found.statistics(), wrapped=(1,))
    rows = [(rank, f"{n:,}", f"{rate:.2%}", f"{low:.2%} to {high:.2%}") for rank, n, rate, low, high in found.rates()]
    print_table(["rank", "impressions", "clicked", "95 % interval"], rows)
    for sentence in found.sentences:
        print_sentence(sentence)


def estimate(
    files: Sequence[str], output: Path, columns: LogColumnOptions, method: str, assume: bool, as_json: bool
) -> None:
    """Estimate the position bias of a log, print it, and write it."""
    check_output_file(output, files, as_json)
    check_name("--method", method, [name for name in METHODS if name != "regression"])  # which needs features
    log = read_log(files, columns.given())
    with noting_warnings(), spinner("Estimating the position bias"):
        bias = estimate_bias(log, method, assume=assume)
    bias.save(output)
    if as_json:
        print_json(bias.to_dict())
        return
    print_table(["rank", "bias", "95 % interval", ""], _ranks(bias), f"Position bias, method {bias.method}", left=4)
    for line in bias.notes:
        print_sentence(line)
    print_sentence(f"The bias is in {display_name(output)}.")


def write_judgments(files: Sequence[str], output: Path, columns: LogColumnOptions, model: str, as_json: bool) -> None:
    """Judge the pairs of a log by a click model, and write them."""
    check_output_file(output, files, as_json)
    log = read_log(files, columns.given())
    with spinner(f"Estimating the click model {model}"):
        found = judge_by_clicks(log, model)
    found.save(output)
    width = float(np.median(found.high - found.low))
    if as_json:
        print_json({"model": model, "queries": int(log.queries.size), "pairs": found.relevance.size, "median_width": width})
        return
    print_sentence(
        f"{found.relevance.size:,} judgments of {log.queries.size:,} queries by the click model {model} are in "
        f"{display_name(output)}; the 95 % interval of half of them is wider than {width:.2f}."
    )


def _ranks(bias: PositionBias) -> list[tuple[object, ...]]:
    """Rank, bias, interval and a bar."""
    rows: list[tuple[object, ...]] = []
    largest = float(bias.alpha.max())
    for place, alpha in enumerate(bias.alpha.tolist()):
        interval = ""
        if bias.low is not None and bias.high is not None and np.isfinite(bias.low[place]):
            interval = f"{bias.low[place]:.3f} to {bias.high[place]:.3f}"
        rows.append((place + 1, f"{alpha:.3f}", interval, "#" * max(1, round(BAR * alpha / largest))))
    return rows
