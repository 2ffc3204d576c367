"""The command line. One file a command; none imports JAX before it runs."""

from envwright.cli.main import main as main
