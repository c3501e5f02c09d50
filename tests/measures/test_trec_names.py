"""trec_eval's names, and lists of names. Their values are compared with trec_eval's in tests/comparison."""

from __future__ import annotations

import pytest

from directrank import evaluate
from directrank.measures import MeasureError, parse
from directrank.measures.name_parser import split_names
from directrank.measures.trec_names import is_trec_name, trec_names


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("ndcg_cut_10", "nDCG(gain=linear)@10"),
        ("ndcg_cut.5", "nDCG(gain=linear)@5"),
        ("NDCG_CUT_10", "nDCG(gain=linear)@10"),
        ("ndcg", "nDCG(gain=linear)"),
        ("NDCG", "nDCG"),
        ("ndcg@10", "nDCG@10"),
        ("MAP", "AP"),
        ("P_10", "P@10"),
        ("P.10", "P@10"),
        ("P_10(rel=2)", "P(rel=2)@10"),
        ("recall_100", "R@100"),
        ("recip_rank", "RR"),
        ("success_1", "Success@1"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall.0.5", "IPrec@0.5"),
        ("set_P", "SetP"),
        ("set_recall", "SetR"),
        ("set_F", "SetF"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("infAP", "infAP"),
        ("0.5*ndcg_cut_10 + 0.5*P_5", "0.5*nDCG(gain=linear)@10 + 0.5*P@5"),
    ],
)
def test_meaning_of_trec_evals_names(typed: str, name: str) -> None:
    assert parse(typed).name == name


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("P_0", "P: k must be an integer between 1 and 2^62, not 0"),
        ("P_1.5", "P: k must be an integer between 1 and 2^62, not 1.5"),
        ("P_10@5", "P_10 is P@10; name that measure to change it"),
        ("ndcg(gain=exp)", "ndcg is nDCG(gain=linear); name that measure to change it"),
        ("ndcg_cut_", "there is no measure 'ndcg_cut_'; did you mean nDCG"),
        ("P.", "is not the name of a measure"),
        ("AP.5", "there is no measure 'AP.5'"),
        ("iprec_at_recall_1.5", "IPrec: k must be a recall between 0 and 1, not 1.5"),
        ("gm_map", "it is a geometric mean over queries"),
    ],
)
def test_invalid_names(typed: str, sentence: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse(typed)
    assert sentence in str(error.value)


def test_which_names_are_trec_evals() -> None:
    assert all(map(is_trec_name, ["map", "ndcg", "bpref", "P_10", "P.10", "P_10(rel=2)", " map ", *trec_names()]))
    with_underscore = [name for name in trec_names() if "_" in name]
    assert all(map(is_trec_name, [*map(str.lower, with_underscore), *map(str.upper, with_underscore)]))
    ours = ["AP", "RR", "nDCG", "NDCG", "MAP", "Bpref", "Rprec", "infAP", "ndcg@10", "P", "P@10", "map@10", "recall"]
    assert not any(map(is_trec_name, ours))


def test_lists_with_commas() -> None:
    typed = " AP , nDCG(gain=linear, k=5),0.5*AP + 0.5*P@5,own:Mine(a=1,b=2)@3"
    assert split_names(typed) == ["AP", "nDCG(gain=linear, k=5)", "0.5*AP + 0.5*P@5", "own:Mine(a=1,b=2)@3"]
    assert split_names("P.5,10,recall.100,map") == ["P.5", "P.10", "recall.100", "map"]
    for wrong in ("AP,", ",AP", "AP,,RR", ""):
        with pytest.raises(MeasureError, match="separate measures by commas"):
            split_names(wrong)
    with pytest.raises(MeasureError, match="there is no measure '10'"):
        parse(split_names("P@5,10")[1])


def test_the_library_takes_lists_too() -> None:
    found = evaluate([1, 0, 2], [0.3, 0.2, 0.1], measures="AP,ndcg_cut_2,P.1,2")
    assert list(found.means) == ["AP", "ndcg_cut_2", "P.1", "P.2"]
    assert found["ndcg_cut.2"] == evaluate([1, 0, 2], [0.3, 0.2, 0.1], measures="nDCG(gain=linear)@2")["nDCG(gain=linear)@2"]
