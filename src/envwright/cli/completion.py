"""`envwright completion`: scripts that complete commands, options and environments without starting Python."""

import argparse

from envwright.agents.find import all_agents
from envwright.core.registry import registered

NAME = "completion"
HELP = "Print a completion script for your shell."
EXAMPLES = """\
examples:
  source <(envwright completion bash)                            for this session
  envwright completion bash >> ~/.bashrc                         for good
  envwright completion zsh > ~/.zfunc/_envwright                 with ~/.zfunc in fpath
  envwright completion fish > ~/.config/fish/completions/envwright.fish
"""

BASH = """\
_envwright() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _envwright envwright
"""

ZSH = """\
#compdef envwright
_envwright() {{
    if (( CURRENT == 2 )); then
        compadd -- {commands}
        return
    fi
    case "$words[2]" in
{cases}
    esac
    _default
}}
compdef _envwright envwright 2>/dev/null
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell you use")


def run(args: argparse.Namespace) -> int:
    words = _words(args.parser)
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell](words), end="")
    return 0


def _words(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """For each command, the words that may follow it."""
    commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    envs = [spec.name for spec in registered()]
    words: dict[str, list[str]] = {}
    for name, sub in commands.choices.items():
        options = [option for action in sub._actions for option in action.option_strings if option.startswith("--")]
        choices = [str(choice) for action in sub._actions for choice in action.choices or ()]
        takes = {action.dest for action in sub._actions}
        choices += [*(envs if "env" in takes else []), *(all_agents() if "agent" in takes else [])]
        words[name] = options + choices
    return words


def _bash(words: dict[str, list[str]]) -> str:
    cases = "\n".join(f'            {name}) words="{" ".join(after)}" ;;' for name, after in words.items())
    return BASH.format(commands=" ".join(words), cases=cases)


def _zsh(words: dict[str, list[str]]) -> str:
    cases = "\n".join(f"        {name}) compadd -- {' '.join(after)} ;;" for name, after in words.items())
    return ZSH.format(commands=" ".join(words), cases=cases)


def _fish(words: dict[str, list[str]]) -> str:
    lines = ["complete -c envwright -f"]
    for name, after in words.items():
        lines.append(f"complete -c envwright -n __fish_use_subcommand -a {name}")
        lines.append(f"complete -c envwright -n '__fish_seen_subcommand_from {name}' -a '{' '.join(after)}'")
    return "\n".join(lines) + "\n"
