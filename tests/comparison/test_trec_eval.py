"""Against trec_eval, query by query."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given, strategies as st

from directrank import Qrels, Run, evaluate_run, read_qrels, read_run
from directrank.evaluation import trec_eval_official

KS = (1, 5, 10, 100)
OURS = {
    "AP": "map",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "nDCG(gain=linear)": "ndcg",
    **{f"AP@{k}": f"map_cut_{k}" for k in KS},
    **{f"nDCG(gain=linear)@{k}": f"ndcg_cut_{k}" for k in KS},
    **{f"P@{k}": f"P_{k}" for k in KS},
    **{f"R@{k}": f"recall_{k}" for k in KS},
    **{f"Success@{k}": f"success_{k}" for k in KS},
    "Bpref": "bpref",
    "infAP": "infAP",
    "SetP": "set_P",
    "SetR": "set_recall",
    "SetF": "set_F",
}
GRADED = {name: theirs for name, theirs in OURS.items() if name.startswith("nDCG")}
CUTS = ",".join(map(str, KS))
THEIRS = {"map", "recip_rank", "Rprec", "ndcg", "bpref", "infAP", "set_P", "set_recall", "set_F"}
THEIRS |= {f"{m}.{CUTS}" for m in ("map_cut", "ndcg_cut", "P", "recall", "success")}


def with_rel(name: str, rel: int) -> str:
    if name in GRADED or rel == 1:
        return name
    return name.replace("@", f"(rel={rel})@") if "@" in name else f"{name}(rel={rel})"


def as_dicts(run: Run, qrels: Qrels) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """As pytrec_eval takes them."""
    judged: dict[str, dict[str, int]] = {}
    for qid, docno, grade in zip(qrels.qid.tolist(), qrels.docno.tolist(), qrels.grade.tolist(), strict=True):
        judged.setdefault(qid, {})[docno] = int(grade)
    scored: dict[str, dict[str, float]] = {}
    for qid, docno, score in zip(run.qid.tolist(), run.docno.tolist(), run.score.tolist(), strict=True):
        scored.setdefault(qid, {})[docno] = score
    return scored, judged


def compare(run: Run, qrels: Qrels, rel: int = 1, measures: dict[str, str] = OURS) -> int:
    """All measures, all queries that both sides have."""
    scored, judged = as_dicts(run, qrels)
    wanted = THEIRS if measures is OURS else set(measures.values())
    theirs = pytrec_eval.RelevanceEvaluator(judged, wanted, relevance_level=rel).evaluate(scored)
    ours = evaluate_run(run, qrels, [with_rel(name, rel) for name in measures], ties="trec")
    at = {str(qid): i for i, qid in enumerate(ours.qid.tolist())}
    for name, trec_name in measures.items():
        if rel > 1 and name in GRADED:  # pytrec_eval applies the relevance level to gains too
            continue
        mine = [ours.per_query[with_rel(name, rel)][at[qid]] for qid in theirs]
        np.testing.assert_allclose(mine, [theirs[qid][trec_name] for qid in theirs], rtol=0, atol=1e-9, err_msg=name)
    return len(theirs)


@pytest.mark.parametrize("rel", [1, 2])
def test_robust03(real_data: Path, rel: int) -> None:
    qrels = read_qrels(real_data / "robust03" / "qrels.txt.gz")
    runs = sorted((real_data / "robust03" / "runs").iterdir())
    assert len(runs) == 17
    for path in runs[::4] if rel == 1 else runs[:2]:
        assert compare(read_run(path), qrels, rel) == 100


def test_trec_evals_own_names_have_its_values(real_data: Path) -> None:
    """Graded judgments, the queries of the run, and a run that lacks some."""
    qrels = read_qrels(real_data / "robust03" / "qrels.txt.gz")
    run = read_run(sorted((real_data / "robust03" / "runs").iterdir())[0])
    some = np.isin(run.qid, np.unique(run.qid)[::3])
    compare_by_their_names(Run(run.qid[some], run.docno[some], run.score[some]), qrels)


def compare_by_their_names(run: Run, qrels: Qrels) -> None:
    """The mean of each measure by trec_eval's name, over the queries of the run that have judgments, as without -c."""
    scored, judged = as_dicts(run, qrels)
    theirs = pytrec_eval.RelevanceEvaluator(judged, THEIRS).evaluate(scored)
    names = [name for name in OURS.values() if name != "ndcg"]  # which is our nDCG
    ours = evaluate_run(run, qrels, ",".join(names), ties="trec", queries="run")
    assert set(map(str, ours.qid.tolist())) == set(theirs) and ours.missing == 0
    for name in names:
        assert ours[name] == pytest.approx(np.mean([of_query[name] for of_query in theirs.values()]), abs=1e-9), name


documents = st.sampled_from([f"d{i}" for i in range(12)])
pairs = st.tuples(st.sampled_from("12"), documents)
judgments = st.dictionaries(pairs, st.integers(0, 3), min_size=1, max_size=20)
sampled_judgments = st.dictionaries(pairs, st.integers(-2, 3), min_size=1, max_size=20)
results = st.dictionaries(
    st.tuples(st.sampled_from("123"), documents),
    st.sampled_from([-1.0, 0.0, 0.1, 0.1 + 1e-12, 0.5]),
    min_size=1,
    max_size=30,
)


@given(judgments, results, st.sampled_from([1, 2]))
def test_random_runs_with_many_ties(judged: dict, scored: dict, rel: int) -> None:
    assume({query for query, _ in judged} & {query for query, _ in scored})
    qrels = Qrels(*zip(*judged, strict=True), grade=list(judged.values()))
    run = Run(*zip(*scored, strict=True), score=list(scored.values()))
    compare(run, qrels, rel)
    compare_by_their_names(run, qrels)


@given(sampled_judgments, results, st.sampled_from([1, 2]))
def test_pools_with_a_judged_sample(judged: dict, scored: dict, rel: int) -> None:
    """Grades below 0. trec_eval's nDCG does not end on them, and a query of no others makes it crash."""
    judged |= {(query, "another"): 3 for query, _ in judged}
    assume({query for query, _ in judged} & {query for query, _ in scored})
    qrels = Qrels(*zip(*judged, strict=True), grade=list(judged.values()))
    run = Run(*zip(*scored, strict=True), score=list(scored.values()))
    compare(run, qrels, rel, {name: OURS[name] for name in ("AP", "Rprec", "Bpref", "infAP", "SetP", "SetR")})


def test_official_set(real_data: Path) -> None:
    qrels = read_qrels(real_data / "robust03" / "qrels.txt.gz")
    run = read_run(sorted((real_data / "robust03" / "runs").iterdir())[0])
    scored, judged = as_dicts(run, qrels)
    assert set(scored) == set(judged)  # for pytrec_eval leaves out queries that the run lacks
    names = {"num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "P"}
    theirs = pytrec_eval.RelevanceEvaluator(judged, names | {"iprec_at_recall"}).evaluate(scored)
    for name, value in trec_eval_official(run, qrels).items():
        of_queries = [of_query[name] for of_query in theirs.values()]
        if name.startswith("iprec"):  # where trec_eval rounds as it should
            level = float(name.split("_")[-1])
            rights = [int(level * v["num_rel"] + 0.9) >= level * v["num_rel"] - 1e-9 for v in theirs.values()]
            mine = evaluate_run(run, qrels, f"IPrec@{level:g}", ties="trec")
            at = {str(qid): i for i, qid in enumerate(mine.qid.tolist())}
            values = next(iter(mine.per_query.values()))[[at[qid] for qid in theirs]]
            assert sum(rights) > 80 and values.mean() == pytest.approx(value)
            np.testing.assert_allclose(values[rights], np.array(of_queries)[rights], atol=1e-9)
        elif name == "gm_map":  # of one query it is the logarithm
            assert value == pytest.approx(np.exp(np.mean(of_queries)), abs=1e-9)
        else:
            assert value == pytest.approx(np.sum(of_queries) / (1 if name.startswith("num") else len(theirs)), abs=1e-9)
