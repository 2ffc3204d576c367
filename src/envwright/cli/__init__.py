"""The command line. One file a command; environments and verifiers are imported by the command that needs them."""

from envwright.cli.main import main as main
