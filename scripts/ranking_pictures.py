"""Draws the pictures of docs/learning_to_rank.md: python scripts/ranking_pictures.py.

They are narrow, so that their text can be read on a phone, and have a background of their own, which is dark where the
reader's system is.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np

from directrank import evaluate

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"

WIDTH = 480

STYLE = """
svg {
  --paper: #ffffff; --ink: #1a1d21; --muted: #5b6470; --line: #b9c0c9; --fill: #eef1f5;
  --blue: #0072b2; --red: #c2500a;
}
@media (prefers-color-scheme: dark) {
  svg {
    --paper: #1b1f24; --ink: #e8eaed; --muted: #a9b2bd; --line: #59626d; --fill: #2a3037;
    --blue: #59b4ec; --red: #f0935a;
  }
}
text { font: 15px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: var(--ink); }
.muted { fill: var(--muted); } .bold { font-weight: 600; } .blue { fill: var(--blue); } .red { fill: var(--red); }
.paper { fill: var(--paper); stroke: var(--line); } .box { fill: var(--fill); stroke: var(--line); }
.line { fill: none; stroke: var(--muted); stroke-width: 1.5; } .axis { stroke: var(--line); }
.curve { fill: none; stroke: var(--blue); stroke-width: 2.5; } .loss { fill: none; stroke: var(--red); stroke-width: 2.5; }
.relevant { fill: var(--blue); } .other { fill: var(--line); } .arrow { fill: var(--muted); }
"""


def picture(height: int, title: str, *parts: str) -> str:
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    frame = f'<rect class="paper" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(title)}</title>'
    return "\n".join([f"{head}<style>{STYLE}</style>", frame, *parts, "</svg>\n"])


def text(x: float, y: float, content: str, classes: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{classes}" text-anchor="{anchor}">{escape(content)}</text>'


def box(x: float, y: float, width: float, height: float, classes: str = "box") -> str:
    return f'<rect class="{classes}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5"/>'


def line(points: list[tuple[float, float]], classes: str = "line") -> str:
    return f'<polyline class="{classes}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def arrow_down(x: float, y: float, length: float) -> str:
    head = (
        f'<polygon class="arrow" points="{x - 5:g},{y + length - 7:g} {x + 5:g},{y + length - 7:g} {x:g},{y + length:g}"/>'
    )
    return line([(x, y), (x, y + length - 7)]) + head


def pipeline() -> str:
    """From a query to a ranking."""
    steps = [
        ("a query", "“sort an array”"),
        ("candidates", "ten documents that have its words"),
        ("their features", "bm25 6.5, popularity 7, ..."),
        ("a score for each", "bm25 + 0.67 · popularity = 11.2"),
        ("the ranking", "the highest score first"),
    ]
    parts = []
    for number, (what, example) in enumerate(steps):
        y = 14 + 64 * number
        model = number == 3
        parts += [box(16, y, 448, 44), text(28, y + 27, what, "bold blue" if model else "bold")]
        parts.append(text(452, y + 27, example, "muted", "end"))
        if number + 1 < len(steps):
            parts.append(arrow_down(240, y + 45, 18))
    return picture(342, "A query, its candidates, their features, their scores, the ranking", *parts)


def losses() -> str:
    """What three kinds of learners look at: one document, two documents, the whole list."""
    grades = [0, 2, 0, 1, 0]
    parts = []
    for column, (name, what) in enumerate(
        [("pointwise", "one grade"), ("pairwise", "two documents"), ("direct", "the measure")]
    ):
        x = 16 + 155 * column
        parts += [text(x + 69, 30, name, "bold" + (" blue" if column == 2 else ""), "middle")]
        parts += [text(x + 69, 50, what, "muted", "middle")]
        for rank, grade in enumerate(grades):
            y = 66 + 34 * rank
            parts += [box(x + 14, y, 78, 26, "relevant" if grade else "other"), text(x + 102, y + 19, str(grade))]
    parts += [text(16 + 69, 262, "“is this a 2?”", "", "middle")]
    parts += [line([(171 + 14, 79), (171 + 3, 79), (171 + 3, 113), (171 + 14, 113)])]
    parts += [line([(171 + 14, 147), (171 - 4, 147), (171 - 4, 181), (171 + 14, 181)])]
    parts += [text(171 + 69, 262, "“which is better?”", "", "middle")]
    x = 326 + 120
    parts += [line([(x, 66), (x + 9, 66), (x + 9, 228), (x, 228)], "curve")]
    parts += [text(326 + 69, 262, "“nDCG = 0.64”", "", "middle")]
    return picture(
        280, "Pointwise learners see one document, pairwise ones two, direct ones the measure of the list", *parts
    )


BM25 = np.array([9.0, 8.2, 7.9, 6.5, 6.0, 5.1, 4.4, 3.2, 2.0, 1.1])
POPULARITY = np.array([2, 6, 1, 7, 3, 8, 9, 4, 10, 5])
GRADE = np.array([0, 1, 0, 2, 0, 1, 0, 0, 0, 0])


def steps() -> str:
    """AP of bm25 + w popularity as a function of w, and the mean logistic loss of the pairs."""
    weights = np.linspace(0, 2, 401)
    scores = [BM25 + weight * POPULARITY for weight in weights]
    precision = np.array([evaluate(GRADE, each, np.ones(10, int), "AP")["AP"] for each in scores])
    first, second = np.nonzero(GRADE[:, None] > GRADE)
    loss = np.array([np.mean(np.log1p(np.exp(each[second] - each[first]))) for each in scores])
    return picture(
        330,
        "Average precision is a step function of the weight; the pairs' loss is smooth, and lowest elsewhere",
        *axes(),
        line(list(zip(across(weights), up(precision), strict=True)), "curve"),
        line(list(zip(across(weights), up(loss / 2.6), strict=True)), "loss"),
        mark(across(0.675), up(1.0), "relevant"),
        mark(across(weights[loss.argmin()]), up(loss.min() / 2.6), "red"),
        text(across(0.675) + 12, up(1.0) - 2, "highest AP: w = 0.67", "blue bold"),
        text(across(0.93), up(loss.min() / 2.6) - 14, "lowest loss: w = 0.88", "red bold", "middle"),
        text(across(1.98), up(0.56), "AP", "blue bold", "end"),
        text(across(1.98), up(0.27), "loss of the pairs", "red bold", "end"),
    )


def axes() -> list[str]:
    ticks = [text(across(w), 292, f"{w:g}", "muted", "middle") for w in (0, 0.5, 1, 1.5, 2)]
    values = [text(40, up(value) + 5, f"{value:g}", "muted", "end") for value in (0, 0.5, 1)]
    lines = [line([(48, up(value)), (464, up(value))], "axis") for value in (0, 0.5, 1)]
    return [*lines, *ticks, *values, text(256, 316, "weight w of popularity beside bm25", "muted", "middle")]


def across(weight: float) -> float:
    return 48 + weight * 208


def up(value: float) -> float:
    return 270 - value * 230


def mark(x: float, y: float, classes: str) -> str:
    return f'<circle class="{classes}" cx="{x:.1f}" cy="{y:.1f}" r="5.5"/>'


def draw_all() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, drawn in {"query_to_ranking": pipeline(), "three_losses": losses(), "steps_of_ap": steps()}.items():
        (FOLDER / f"{name}.svg").write_text(drawn)


if __name__ == "__main__":
    draw_all()
