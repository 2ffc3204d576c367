"""Who translates: command-line agents, model APIs, a person, a recording. All behind `protocol.Agent`."""
