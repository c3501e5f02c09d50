"""Threads of the core: the same bits with any number of them; Python threads, forks, exceptions and Ctrl-C."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from directrank import evaluate, get_num_threads, set_num_threads
from directrank.core import num_threads, threads
from directrank.data.ranking_data import group_rows
from directrank.learners.linear.spread import deviations
from directrank.matrix.linear_operator import MatrixOperator
from directrank.matrix.mercer_kernels import Kernel

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

#: Number of the first part that fails, beyond any.
NEVER = 2**40


@pytest.fixture(autouse=True)
def _number_before() -> Iterator[None]:
    before = get_num_threads()
    yield
    set_num_threads(before)


def script(code: str, timeout: float = 60) -> str:
    """Output of a script, which must not be ended by a signal."""
    first = """
        import multiprocessing, os, signal, sys, threading, time
        import numpy as np
        import directrank
        from directrank import evaluate, get_num_threads, set_num_threads
        from directrank.core import threads
        from directrank.datasets import make_ranking

        data = make_ranking(200, (5, 80), random_state=0)

        def answers(_=None):
            return evaluate(data.y, data.X[:, 0], data.qid, ["AP", "nDCG@10"]).means

        def exit_code(child):
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        """
    env = {**os.environ, "DIRECTRANK_NUM_THREADS": "3"}
    command = [sys.executable, "-c", textwrap.dedent(first) + textwrap.dedent(code)]
    out = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=timeout)
    assert out.returncode == 0 and out.stderr == "", out.stderr
    return out.stdout


def results() -> list[bytes]:
    """Results of kernels of all kinds: by parts of rows, blocks of columns, queries, entries."""
    random = np.random.default_rng(0)
    X = random.standard_normal((5000, 33)).astype(np.float32)
    sparse_X = sparse.csr_array(np.where(random.random(X.shape) < 0.2, X, 0.0))
    w, c = random.standard_normal(33), random.standard_normal(5000)
    queries = group_rows(random.integers(0, 300, 5000), 5000)
    weights, units = random.random(queries.ids.size), random.random(33) + 0.5
    found = []
    for matrix in (X, np.asfortranarray(X), sparse_X):
        rows = MatrixOperator(matrix)
        found += [rows.matvec(w), rows.rmatvec(c), deviations(matrix, queries, weights, units)]
    found += [MatrixOperator(X[:20].T.copy()).rmatvec(w), Kernel("rbf", 0.1)(X[:300], X[300:400].astype(np.float64))]
    values = evaluate(random.integers(0, 3, 5000), c, random.integers(0, 300, 5000), ["AP", "nDCG@10"])
    return [array.tobytes() for array in found] + [str(values.means).encode()]


def test_any_number_of_threads_gives_the_same_bits() -> None:
    set_num_threads(1)
    alone = results()
    for n in (2, 3, 8):
        set_num_threads(n)
        assert results() == alone, n


@pytest.mark.parametrize("n", [1, 2, 5])
def test_parts_run_on_the_threads(n: int) -> None:
    set_num_threads(n)
    assert get_num_threads() == n
    began = time.perf_counter()
    used = len(set(threads.sleep_in_parts(10, 0.02, NEVER).tolist()))
    assert used <= n and (n == 1 or used > 1)
    if n == 1:
        assert time.perf_counter() - began >= 0.2


def test_a_limit_holds_for_one_thread() -> None:
    set_num_threads(4)
    found = []
    with num_threads.limit_num_threads(1):
        other = threading.Thread(target=lambda: found.append(get_num_threads()))
        other.start()
        other.join()
        assert get_num_threads() == 1 and found == [4]
        assert len(set(threads.sleep_in_parts(8, 0.005, NEVER).tolist())) == 1
        with num_threads.limit_num_threads(2):
            assert get_num_threads() == 2
        assert get_num_threads() == 1
    assert get_num_threads() == 4


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, 2.0, "2", None, np.nan, np.inf, 2**31, 2**70])
def test_an_invalid_number_of_threads_is_rejected(wrong: object) -> None:
    before = get_num_threads()
    with pytest.raises(ValueError, match="the number of threads must be an integer of at least 1"):
        set_num_threads(wrong)  # type: ignore[arg-type]
    if wrong is not None:
        with pytest.raises(ValueError, match="the number of threads"), num_threads.limit_num_threads(wrong):  # type: ignore[arg-type]
            pass
    assert get_num_threads() == before
    set_num_threads(np.int64(2))  # type: ignore[arg-type]
    assert get_num_threads() == 2


def test_parts_that_fail_raise_one_exception() -> None:
    set_num_threads(4)
    for _ in range(20):
        with pytest.raises(ValueError, match=r"part \d+ failed"):
            threads.sleep_in_parts(50, 0.0005, 3)
        assert threads.sleep_in_parts(6, 0.0, NEVER).size == 6


def test_several_python_threads_at_once() -> None:
    """More threads than processors, some of which fail."""
    set_num_threads(3)
    alone, wrong = results(), []

    def work(number: int) -> None:
        for _ in range(4):
            if number % 3 == 2:
                try:
                    threads.sleep_in_parts(9, 0.001, 5)
                    wrong.append(number)
                except ValueError:
                    continue
            elif results() != alone:
                wrong.append(number)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() == 0, reason="needs a limit on processes, which root has not")
def test_more_threads_than_a_machine_starts() -> None:
    """If no thread can be started, the calling thread does all the work."""
    code = """
        import resource
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        set_num_threads(100_000)
        print(answers() == before)
        """
    assert script("before = answers()\n" + textwrap.dedent(code)) == "True\n"


@needs_fork
def test_a_process_forked_while_another_thread_computes_a_cached_property() -> None:
    code = """
        import warnings
        from directrank.caching import cached_property
        warnings.simplefilter("ignore")  # that a process with several threads is forked
        computing = threading.Event()

        class Slow:
            @cached_property
            def value(self):
                computing.set()
                time.sleep(0.5)
                return 7

        other = threading.Thread(target=lambda: Slow().value)
        other.start()
        computing.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(Slow().value)
        other.join()
        print(exit_code(child))
        """
    assert script(code) == "7\n"


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_forked_while_another_thread_is_in_a_kernel() -> None:
    code = """
        import warnings
        warnings.simplefilter("ignore")  # that a process with several threads is forked
        before, ended = answers(), threading.Event()

        def stay_in_kernels():
            while not ended.is_set():
                threads.sleep_in_parts(30, 0.002, 2**40)
                answers()

        others = [threading.Thread(target=stay_in_kernels) for _ in range(2)]
        for other in others:
            other.start()
        codes = []
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(40)
                right = answers() == before and len(set(threads.sleep_in_parts(6, 0.01, 2**40).tolist())) > 1
                os._exit(0 if right and get_num_threads() == 3 else 1)
            codes.append(exit_code(child))
        print(set(codes), answers() == before)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map_async(answers, range(6)).get(40) == [before] * 6)
        ended.set()
        for other in others:
            other.join()
        """
    assert script(code) == "{0} True\nTrue\n"


@needs_fork
def test_a_process_forked_twice() -> None:
    code = """
        import warnings
        warnings.simplefilter("ignore")
        before = answers()
        child = os.fork()
        if child == 0:
            signal.alarm(40)
            answers()
            grandchild = os.fork()
            if grandchild == 0:
                signal.alarm(40)
                os._exit(0 if answers() == before else 1)
            os._exit(exit_code(grandchild))
        print(exit_code(child))
        """
    assert script(code) == "0\n"


def test_ctrl_c_is_raised_after_the_kernel() -> None:
    code = """
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        began, calls = time.perf_counter(), 0
        try:
            while time.perf_counter() - began < 30:
                threads.sleep_in_parts(6, 0.05, 2**40)  # 0.1 seconds on three threads
                calls += 1
        except KeyboardInterrupt:
            print(0 < calls, time.perf_counter() - began < 5)
        """
    assert script(code) == "True True\n"


def test_ctrl_c_is_never_lost() -> None:
    code = """
        signal.signal(signal.SIGINT, signal.default_int_handler)
        right, wrong, caught, waiting = answers(), 0, 0, threading.Event()
        sent = 50

        def send():
            for _ in range(sent):
                time.sleep(0.003)
                waiting.wait()
                waiting.clear()
                os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=send)
        thread.start()
        while caught < sent:
            try:
                waiting.set()
                while True:
                    wrong += answers() != right
            except KeyboardInterrupt:
                caught += 1
        thread.join()
        print(wrong, caught)
        """
    assert script(code) == "0 50\n"


def test_threads_sleep_while_they_wait() -> None:
    code = """
        set_num_threads(8)
        assert len(set(threads.sleep_in_parts(32, 0.01, 2**40).tolist())) > 1
        before = time.process_time()
        time.sleep(1)
        print(time.process_time() - before < 0.05)
        """
    assert script(code) == "True\n"


def test_a_process_ends_while_kernels_run() -> None:
    code = """
        threading.Thread(target=threads.sleep_in_parts, args=(1000, 1.0, 2**40), daemon=True).start()
        time.sleep(0.1)
        print("ends")
        """
    assert script(code, timeout=30) == "ends\n"


def test_a_search_on_several_processes() -> None:
    code = """
        from sklearn.model_selection import GridSearchCV
        from directrank import LambdaMART, SVMRanker, routing
        from directrank.data import QueryKFold

        def best(learner, grid, n_jobs):
            search = GridSearchCV(learner, grid, cv=QueryKFold(2), n_jobs=n_jobs)
            with routing():
                return search.fit(data.X, data.y, qid=data.qid).cv_results_["mean_test_score"].tolist()

        trees = LambdaMART("AP", n_estimators=3, n_seeds=1, init=None)
        for learner, grid in ((SVMRanker("AP"), {"C": [0.01, 0.1]}), (trees, {"sigma": [1, 2]})):
            print(best(learner, grid, 2) == best(learner, grid, None))
        """
    assert script(code) == "True\nTrue\n"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"DIRECTRANK_NUM_THREADS": "5", "OMP_NUM_THREADS": "2"}, 5),
        ({"OMP_NUM_THREADS": "7"}, 7),
        ({"OMP_NUM_THREADS": "6,2"}, 6),
        ({"DIRECTRANK_NUM_THREADS": "0", "OMP_NUM_THREADS": "4"}, 4),
        ({"DIRECTRANK_NUM_THREADS": "many", "OMP_NUM_THREADS": "-3"}, None),
        ({"DIRECTRANK_NUM_THREADS": "99999999999999999999"}, None),
        ({}, None),
    ],
)
def test_environment_variables(environment: dict[str, str], expected: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in num_threads.VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    default = num_threads.default_num_threads()
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert num_threads.default_num_threads() == (expected or default)


def num_threads_in_a_new_process(first: str = "", **environment: str) -> int:
    """Number of threads in a process with these variables, after some code."""
    command = [sys.executable, "-c", f"{first}\nimport directrank\nprint(directrank.get_num_threads())"]
    env = {name: value for name, value in os.environ.items() if name not in num_threads.VARIABLES} | environment
    return int(subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout)


def test_environment_variables_count_when_the_package_is_loaded() -> None:
    assert num_threads_in_a_new_process(DIRECTRANK_NUM_THREADS="5", OMP_NUM_THREADS="2") == 5
    assert num_threads_in_a_new_process(OMP_NUM_THREADS="2") == 2


@needs_linux
def test_processor_affinity() -> None:
    assert num_threads_in_a_new_process("import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})") == 1


@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        pytest.param("0::/\n", {"cpu.max": "150000 100000\n"}, 2, id="v2: one and a half processors"),
        pytest.param("0::/\n", {"cpu.max": "max 100000\n"}, None, id="v2: no limit"),
        pytest.param(
            "0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "300000 100000\n"}, 3, id="v2: of the group around it"
        ),
        pytest.param("0::/a/b\n", {"a/b/cpu.max": "50000 100000\n", "a/cpu.max": "300000 100000\n"}, 1, id="v2: the lowest"),
        pytest.param("0::/../other\n", {"cpu.max": "400000 100000\n"}, 4, id="v2: a path outside of the container"),
        pytest.param(
            "3:cpu,cpuacct:/docker/x\n2:memory:/y\n0::/\n",
            {"cpu/cpu.cfs_quota_us": "250000\n", "cpu/cpu.cfs_period_us": "100000\n"},
            3,
            id="v1: in a container",
        ),
        pytest.param(
            "1:cpu:/a\n",
            {"cpu/a/cpu.cfs_quota_us": "100000", "cpu/a/cpu.cfs_period_us": "50000", "cpu/cpu.cfs_quota_us": "-1"},
            2,
            id="v1: of its own group",
        ),
        pytest.param(
            "1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None, id="v1: no limit"
        ),
        pytest.param("0::/\n", {"cpu.max": "nonsense"}, None, id="not to be understood"),
        pytest.param("0::/\n", {"cpu.max": "100 0"}, None, id="a period of 0"),
        pytest.param("", {}, None, id="no groups"),
        pytest.param(None, {}, None, id="no Linux"),
    ],
)
def test_quotas_of_control_groups(
    own: str | None, files: dict[str, str], expected: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in files.items():
        (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / name).write_text(text)
    if own is not None:
        (tmp_path / "own").write_text(own)
    monkeypatch.setattr(num_threads, "_CONTROL_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(num_threads, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(num_threads, "_processors_by_affinity", lambda: 64)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    for variable in num_threads.VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    assert num_threads.default_num_threads() == (expected or 64)
