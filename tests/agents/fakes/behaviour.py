"""What the fake programs can be told to do, by a marker in the prompt: [fake: hang]."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

WRITTEN = "def step(state):\n    return state\n"


def misbehave(prompt: str) -> str:
    """Do what the marker says to the workspace and to ourselves; gives the marker for the reports."""
    found = re.search(r"\[fake: (\w+)\]", prompt)
    what = found[1] if found else "succeed"
    if what == "answer":  # as somebody did before: files by task, which is what the workspace is called
        answers = json.loads(Path(re.search(r"\[answers: (.+?)\]", prompt)[1]).read_text())["answers"]  # pyright: ignore
        for name, text in answers[Path.cwd().name]["files"].items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(text)
    elif what not in ("nothing", "prose", "exit", "error"):
        Path("rules.py").write_text(WRITTEN)
    if what == "outside":
        Path("given.py").write_text("changed")
        Path("notes/more.txt").parent.mkdir()
        Path("notes/more.txt").write_text("more")
        Path("elsewhere").symlink_to("/etc")
    if what == "environment":
        Path("rules.py").write_text(json.dumps(dict(os.environ)))
    if what == "arguments":
        Path("rules.py").write_text(json.dumps({"argv": sys.argv[1:], "stdin": prompt}))
    if what == "children":  # one in our group, one that leaves it, both with our standard output
        sleep = [sys.executable, "-SE", "-c", "import time; time.sleep(60)"]
        pids = [subprocess.Popen(sleep, start_new_session=leaves).pid for leaves in (False, True)]
        Path("rules.py").write_text(json.dumps(pids))
    if what == "hang":
        time.sleep(60)
    if what == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "exit":
        print("something is wrong with the machine", file=sys.stderr)
        sys.exit(1)
    if what == "prose":
        print("I wrote the file and it is perfect.")
        sys.exit(0)
    return what


def say(text: str, what: str) -> None:
    """Print a report, or only the first half of it."""
    print(text[: len(text) // 2] if what == "truncated" else text, end="", flush=True)
    if what == "hang_after":
        time.sleep(60)
