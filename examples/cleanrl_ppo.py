"""PPO in one file, as CleanRL writes it, on a Gymnasium vector environment. Needs neither PyTorch nor a JAX library.

Run: pip install 'envwright[gymnasium]' && python examples/cleanrl_ppo.py
"""

import itertools
import sys
from typing import Any

import envwright

envwright.tune_cpu()

import gymnasium as gym  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

GAMMA, LAMBDA, CLIP, ENTROPY, VALUE, RATE = 0.99, 0.95, 0.2, 0.005, 0.5, 1e-3
NUM_STEPS, EPOCHS, MINIBATCHES = 64, 4, 8


def new_params(key: Any, sizes: tuple[int, ...]) -> Any:
    """A weight and a bias a layer; the last layer gives the logits of the actions, and the value."""
    shapes = list(itertools.pairwise(sizes))
    scales = [(2 / ins) ** 0.5 for ins, _ in shapes[:-1]] + [0.01]
    layers = zip(jax.random.split(key, len(shapes)), shapes, scales, strict=True)
    return [(scale * jax.random.normal(key, shape), jnp.zeros(shape[1])) for key, shape, scale in layers]


def network(params: Any, obs: Any) -> tuple[Any, Any]:
    """Log-probabilities of the actions, and the value."""
    obs = 4 * obs - 2  # Pong's features are between 0 and 1; networks learn faster from numbers around 0
    *hidden, (weight, bias) = params
    for w, b in hidden:
        obs = jax.nn.silu(obs @ w + b[None])
    out = obs @ weight + bias[None]
    return jax.nn.log_softmax(out[:, :-1]), out[:, -1]


@jax.jit
def act(params: Any, key: Any, obs: Any) -> tuple[Any, Any, Any]:
    """Actions, their log-probabilities, and values."""
    logp, value = network(params, obs)
    action = jax.random.categorical(key, logp)
    return action, jnp.take_along_axis(logp, action[:, None], 1)[:, 0], value


def loss(params: Any, batch: dict[str, Any]) -> Any:
    """PPO's clipped loss."""
    logp, value = network(params, batch["obs"])
    entropy = -(jnp.exp(logp) * logp).sum(1).mean()
    ratio = jnp.exp(jnp.take_along_axis(logp, batch["action"][:, None], 1)[:, 0] - batch["logp"])
    advantage = (batch["advantage"] - batch["advantage"].mean()) / (batch["advantage"].std() + 1e-8)
    gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * advantage).mean()
    return -gain - ENTROPY * entropy + VALUE * 0.5 * ((value - batch["target"]) ** 2).mean()


@jax.jit
def update(params: Any, moments: Any, count: Any, batch: dict[str, Any]) -> tuple[Any, Any, Any]:
    """One step of Adam."""
    value, grads = jax.value_and_grad(loss)(params, batch)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], grads)
    second = jax.tree.map(lambda m, g: 0.999 * m + 0.001 * g**2, moments[1], grads)
    rate = RATE * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    params = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-5), params, first, second)
    return params, (first, second), value


def advantages(rewards: Any, values: Any, dones: Any) -> Any:
    """Generalised advantage estimates; `values` has one row more than `rewards`."""
    result, last = np.zeros_like(rewards), np.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + GAMMA * values[t + 1] * ~dones[t] - values[t]
        last = result[t] = delta + GAMMA * LAMBDA * ~dones[t] * last
    return result


def main(steps: int = 2_000_000, *, num_envs: int = 256) -> dict[str, Any]:
    """Train for `steps` steps; returns mean returns of early and late games, parameters before and after, losses."""
    # SAME_STEP, because with NEXT_STEP the step after an episode belongs to none and would have to be masked out.
    mode = gym.vector.AutoresetMode.SAME_STEP
    envs = gym.make_vec("envwright/Pong-v0", num_envs, frameskip=8, autoreset_mode=mode, legacy_info=True)
    size = envs.single_observation_space.shape[0]  # pyright: ignore[reportOptionalSubscript]
    rng, key = np.random.default_rng(0), jax.random.key(0)
    start = params = new_params(key, (size, 64, 64, envs.single_action_space.n + 1))  # pyright: ignore[reportAttributeAccessIssue]
    moments = (jax.tree.map(jnp.zeros_like, params),) * 2
    losses, games = [], []
    obs, _ = envs.reset(seed=0)
    for iteration in range(max(1, steps // (num_envs * NUM_STEPS))):
        rows = []
        for t in range(NUM_STEPS):
            action, logp, value = act(params, jax.random.fold_in(key, iteration * NUM_STEPS + t), obs)
            next_obs, reward, terminated, truncated, infos = envs.step(np.asarray(action))
            rows.append((obs, action, logp, value, reward, terminated | truncated))  # Pong is never truncated
            obs = next_obs
            games += [info["episode"]["r"] for info in infos.get("final_info", ()) if info]
        seen, actions, logps, values, rewards, dones = map(np.stack, zip(*rows, strict=True))
        values = np.concatenate([values, np.asarray(act(params, key, obs)[2])[None]])
        advantage = advantages(rewards, values, dones)
        data = {"obs": seen, "action": actions, "logp": logps, "advantage": advantage}
        data["target"] = advantage + values[:-1]
        data = {name: value.reshape(-1, *value.shape[2:]) for name, value in data.items()}
        for _ in range(EPOCHS):
            for chosen in np.array_split(rng.permutation(num_envs * NUM_STEPS), MINIBATCHES):
                batch = {name: value[chosen] for name, value in data.items()}
                params, moments, value = update(params, moments, np.float32(len(losses) + 1), batch)
                losses.append(float(value))
    early, late = (float(np.mean(some)) if some else float("nan") for some in (games[:100], games[-100:]))
    print(f"mean return of a game: {early:.1f} in the first 100, {late:.1f} in the last 100 of {len(games)}")
    return {"before": early, "after": late, "params_before": start, "params_after": params, "losses": losses}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
