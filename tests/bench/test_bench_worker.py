"""The protocol of a worker, spoken with a real one."""

import json
import subprocess
import sys

import pytest

from envwright.bench.job import Job

COMMAND = [sys.executable, "-m", "envwright.bench.worker"]
TINY = Job("envwright", "CartPole-v1", "random", "sharded", 1, 16)


def talk(*lines: str) -> tuple[list[dict], int]:
    """What a worker answers to these lines, and its exit code when they end."""
    done = subprocess.run(
        COMMAND, input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, check=False
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def test_a_worker_builds_runs_counts_and_leaves_when_its_input_ends():
    answers, code = talk(TINY.to_json(), '{"go": 2, "part": "run"}', '{"go": 3, "part": "run"}', '{"memory": true}')
    ready, two, three, memory = answers
    assert ready["ready"] == ["run"]
    assert ready["compile_seconds"]["run"] > 0
    assert ready["facts"]["autoreset"] == "fresh"
    a_call = ready["facts"]["steps_a_call"] * TINY.num_envs
    assert (two["amount"], three["amount"]) == (2 * a_call, 3 * a_call)
    assert memory["bytes"] > 0
    assert code == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not JSON", "JSONDecodeError"),
        (Job("nobody", "CartPole-v1", "random", "plain", 1, 16).to_json(), "nobody"),
    ],
)
def test_a_worker_that_cannot_start_says_why_in_a_line_and_leaves(line, reason):
    answers, code = talk(line, '{"go": 1, "part": "run"}')
    assert len(answers) == 1
    assert reason in answers[0]["error"]
    assert code == 1


def test_what_libraries_print_does_not_disturb_the_answers():
    code = (
        "import os; from envwright.bench import worker; answers = worker._private_stdout();"
        "print('noise'); os.write(1, b'more noise'); print('answer', file=answers, flush=True)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "answer\n"
    assert "noise" in done.stderr


def test_a_job_survives_the_way_through_the_pipe():
    job = Job("reference", "Pong-v0", "ppo", "plain", 2, 64, {"frameskip": 8}, {"steps": 128})
    assert Job.from_json(job.to_json()) == job


def test_a_process_a_core_shares_cores_and_environments():
    job = Job("gymnax", "CartPole-v1", "random", "processes, tuned", 4, 64)
    assert [(share.cores, share.num_envs) for share in job.shares()] == [(1, 16)] * 4
    assert len(Job("gymnax", "CartPole-v1", "random", "sharded", 4, 64).shares()) == 1
