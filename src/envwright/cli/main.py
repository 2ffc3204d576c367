"""Parse the command line, run the command, turn a user's mistake into one sentence and exit code 2."""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

import envwright
from envwright.cli import (
    ablate,
    agents,
    bench,
    completion,
    contract,
    create,
    doctor,
    eval,
    init,
    list_envs,
    play,
    record,
    reference,
    replay,
    resume,
    status,
    train,
    translate,
    verify,
    watch,
)
from envwright.core.errors import EnvwrightError

COMMANDS = (
    translate, create, resume, status, init, agents, doctor, record, ablate,
    list_envs, play, verify, replay, contract, reference, train, eval, watch, bench, completion,
)  # fmt: skip

DESCRIPTION = """\
Fast reinforcement-learning environments, verified to behave like the slow ones they replace."""

EPILOG = """\
Begin with:
  envwright doctor               what is installed, and who can translate
  envwright translate gymnasium:Taxi-v4
                                 a slow environment into a fast one, verified
  envwright create rules.md --name crossing --agent claude
                                 rules written for people into an environment

  envwright list                 what there is
  envwright play pong            try it yourself, in this terminal
  envwright verify pong          compare it with the original, bit for bit
  envwright train pong           train a policy, in half a minute
  envwright bench pong           measure it on this machine

Every command explains itself: envwright COMMAND --help
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Our own line breaks, and commands beside their meaning."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)


class _Parser(argparse.ArgumentParser):
    """Errors are one sentence, without the usage text in front."""

    def error(self, message: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.exit(2, f"{self.prog}: {message}; see: {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser with all commands."""
    parser = _Parser(prog="envwright", description=DESCRIPTION, epilog=EPILOG, formatter_class=_Help)
    parser.add_argument("--version", action="version", version=f"envwright {envwright.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        sub = commands.add_parser(
            command.NAME, help=command.HELP, description=command.HELP, epilog=command.EXAMPLES, formatter_class=_Help
        )
        command.add_arguments(sub)
        sub.set_defaults(run=command.run, parser=parser)
    return parser


def _look_here_too() -> None:
    """Let `my_module:MyEnv` be a file of the folder one is in, here and in child processes. It is looked at last, so
    that nobody's `random.py` takes the place of Python's."""
    with contextlib.suppress(FileNotFoundError):  # a folder that was deleted meanwhile
        here = os.getcwd()
        if here not in sys.path:
            sys.path.append(here)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0 is success, 1 a negative answer, 2 a mistake that can be put right."""
    parser = build_parser()
    args = parser.parse_args(argv)
    if "run" not in args:
        parser.print_help()
        return 2
    _look_here_too()
    try:
        return args.run(args)
    except EnvwrightError as error:
        print(f"envwright: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of a pipe has gone; so do we, quietly
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
