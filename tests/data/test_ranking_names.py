"""Names of rankings: run tags, or the shortest distinct names of files."""

from __future__ import annotations

from pathlib import Path

from directrank.data.ranking_names import ranking_names, shortest_names


def test_the_shortest_names_that_differ() -> None:
    def named(*files: str) -> list[str]:
        return shortest_names([Path(file) for file in files])

    assert named() == []
    assert named("runs/bm25.run", "b.run.gz", "scores/c.scores.txt", "m.json", "v1.2", ".run") == [
        *("bm25", "b", "c", "m", "v1.2", ".run"),
    ]
    assert named("a.run", "a.txt") == ["a.run", "a.txt"]
    assert named("x/a.run", "y/a.run", "y/b.run") == ["x/a", "y/a", "y/b"]
    assert named("x/a.run", "x/a.txt", "y/a.run") == ["x/a.run", "x/a.txt", "y/a.run"]
    assert named("/p/x/a.run", "/q/x/a.run") == ["p/x/a", "q/x/a"]
    assert named("a.run", "/a.run") == ["a", "/a"]


def test_files_name_rankings_whose_tags_repeat_or_are_absent() -> None:
    files = [Path("x/a.run"), Path("y/a.run"), Path("z/b.run")]
    assert ranking_names(files, ["one", "two", "three"]) == ["one", "two", "three"]
    assert ranking_names(files, ["one", "two", "two"]) == ["one", "a", "b"]
    assert ranking_names(files, ["one", "one", "two"]) == ["x/a", "y/a", "two"]
    assert ranking_names(files, [None, None, ""]) == ["x/a", "y/a", "z/b"]


def test_a_tag_that_is_the_name_of_another_file() -> None:
    files = [Path("a.run"), Path("b.run"), Path("c.run")]
    assert ranking_names(files, ["one", "one", "a"]) == ["a", "b", "c"]
