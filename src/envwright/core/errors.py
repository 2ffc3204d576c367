"""The errors a user can cause. Each carries one sentence that names the thing, the value and the way out."""


class EnvwrightError(Exception):
    """Something the user can put right. The command line prints its sentence and exits with 2."""


class UnknownEnvError(EnvwrightError, KeyError):
    """No environment is registered under this id."""

    def __str__(self) -> str:  # KeyError would print the sentence in quotes
        return str(self.args[0])


class DuplicateEnvError(EnvwrightError, ValueError):
    """The id is taken."""


class ActionError(EnvwrightError, TypeError):
    """An action has the wrong shape or dtype for the action space."""


class BatchError(EnvwrightError, ValueError):
    """A batch cannot be laid out as asked."""


class MissingExtraError(EnvwrightError, ImportError):
    """An optional dependency is not installed."""


class ReferenceUnavailableError(EnvwrightError, RuntimeError):
    """A reference cannot be obtained, built or run on this machine."""


def missing_extra(package: str, extra: str) -> MissingExtraError:
    """The error for an optional `package` that the extra `extra` would have installed."""
    return MissingExtraError(
        f"This needs the package '{package}', which is not installed; run: pip install 'envwright[{extra}]'"
    )
