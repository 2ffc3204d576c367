"""What a user does with a translation: import it, make it by name, step it.

Run: python examples/step_wheel.py fast_cart_pole fast/CartPole-v0 (after pip install of its wheel).
"""

import importlib
import sys

import gymnasium as gym


def main(package: str, name: str) -> None:
    importlib.import_module(package)
    env = gym.make(name)
    observation, _ = env.reset(seed=0)
    rewards: list[float] = []
    for _ in range(1000):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        rewards.append(float(reward))
        if terminated or truncated:
            observation, _ = env.reset()
    print(f"{name}: 1,000 steps, mean reward {sum(rewards) / len(rewards):.3f}, last observation {observation}")


if __name__ == "__main__":
    main(*sys.argv[1:])
