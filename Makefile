# Each target sets up what it needs in a local virtual environment; nothing else has to be installed by hand.
# On the machine itself: Python 3.11 or newer, make and a C compiler.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out
STAMP := $(VENV)/.installed
# Neighbours share fixtures and compiled programs: each worker takes a stretch of tests, then part of another's rest.
# Built where there is a Rust compiler; where there is none, everything else goes on without the Game Boy.
CRATE := rust/gameboy
CRATE_BUILT := $(VENV)/.crate-built
CARGO := $(shell command -v cargo)
WITHOUT_CARGO := There is no cargo, so the Game Boy is left out; install Rust with rustup, see rustup.rs.
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 8 --dist worksteal

.PHONY: demo test test-all lint format bench coverage roms clean

demo: $(STAMP) $(CRATE_BUILT)
	@echo "== By rule, free: CartPole from Python to JAX, verified, timed and packaged"
	$(BIN)/envwright translate gymnasium:CartPole-v1 --fresh --out $(OUT)/translate/cart_pole
	@echo "== By rule: FrozenLake, slippery, so its random draws are recorded, replayed and compared"
	$(BIN)/envwright translate gymnasium:FrozenLake-v1 --fresh --out $(OUT)/translate/frozen_lake
	@echo "== By rule: MinAtar's Breakout"
	$(BIN)/envwright translate minatar:breakout --fresh --out $(OUT)/translate/breakout
	@echo "== The wheel of the first, installed without the original and stepped through gym.make"
	$(BIN)/python -m pip install --quiet --no-deps --upgrade --target $(OUT)/installed $(OUT)/translate/cart_pole/dist/*.whl
	PYTHONPATH=$(OUT)/installed $(BIN)/python examples/step_wheel.py fast_cart_pole fast/CartPole-v0
	@echo "== By an agent: CartPole again, a recorded run including its mistake, every answer verified again"
	$(BIN)/envwright translate examples/recorded/cart_pole --fresh --out $(OUT)/translate/cart_pole_recorded
	@echo "== Pong against the original, bit for bit"
	$(BIN)/envwright reference pong
	$(BIN)/envwright verify pong --episodes 200 --out $(OUT)
	@echo "== A difference found in a published JAX port, replayed (exit code 1: the two still differ)"
	$(BIN)/envwright replay docs/findings/gymnax-mountain-car-continuous-wall.json || test $$? -eq 1
	@echo "== A policy that wins at Pong, trained from scratch, evaluated in the original, and a GIF of it"
	$(BIN)/envwright train pong --fresh --out $(OUT)/train/pong
	$(BIN)/envwright eval $(OUT)/train/pong --on reference
	$(BIN)/envwright watch $(OUT)/train/pong --out $(OUT)/pong.gif
	@echo "== A Game Boy game of our own, on an emulator in Rust, trained from scratch, and a GIF of it"
ifneq ($(CARGO),)
	$(BIN)/envwright train orchard --steps 400000 --fresh --games 20 --out $(OUT)/train/orchard
	$(BIN)/envwright watch $(OUT)/train/orchard --out $(OUT)/orchard.gif
else
	@echo "$(WITHOUT_CARGO)"
endif
	@echo "== Done. Look at $(OUT)/translate/breakout/report.html, $(OUT)/translate/cart_pole_recorded/report.html and $(OUT)/pong.gif"

test: $(STAMP) $(CRATE_BUILT)
ifneq ($(CARGO),)
	$(CARGO) test --quiet --release --manifest-path $(CRATE)/Cargo.toml
endif
	$(PYTEST) -m "not slow"

test-all: $(STAMP) $(CRATE_BUILT) $(VENV)/.installed-all
	$(PYTEST)

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/pyright
ifneq ($(CARGO),)
	$(CARGO) fmt --check --manifest-path $(CRATE)/Cargo.toml
	$(CARGO) clippy --quiet --all-targets --manifest-path $(CRATE)/Cargo.toml -- -D warnings
endif

format: $(STAMP)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(STAMP)
	$(BIN)/envwright bench pong --against reference --out $(OUT)
	$(BIN)/envwright bench cartpole --against gymnax,rejax --out $(OUT)
	$(BIN)/python benchmarks/scaling.py --out $(OUT)
	$(BIN)/python benchmarks/pong_training.py --out $(OUT)

coverage: $(STAMP) $(VENV)/.installed-coverage
	$(BIN)/python benchmarks/coverage.py

# The games' source in C; the ROMs are committed, so only who changes them needs sdcc.
roms:
	$(MAKE) -C roms

clean:
	rm -rf $(VENV) $(OUT) build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml requirements/constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "envwright needs Python 3.11 or newer; set PYTHON=..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c requirements/constraints.txt -e '.[dev]'
	@touch $@

$(CRATE_BUILT): $(STAMP) $(wildcard $(CRATE)/*.toml $(CRATE)/src/*.rs)
ifneq ($(CARGO),)
	$(BIN)/python -m pip install --quiet ./$(CRATE)
	@touch $@
else
	@echo "$(WITHOUT_CARGO)"
endif

$(VENV)/.installed-all: $(STAMP) requirements/torch.txt requirements/peers.txt
	$(BIN)/python -m pip install --quiet -c requirements/constraints.txt -r requirements/torch.txt -r requirements/peers.txt
	@touch $@

$(VENV)/.installed-coverage: $(STAMP) requirements/coverage.txt
	$(BIN)/python -m pip install --quiet -c requirements/constraints.txt -r requirements/coverage.txt
	@touch $@
