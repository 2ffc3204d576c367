"""envwright environments in the dialects of other libraries, one file each. Importing this imports none of them.

| for | take | needs |
|---|---|---|
| Gymnasium, one environment | `gymnasium_env.GymnasiumEnv(env)` | envwright[gymnasium] |
| Gymnasium, a batch; CleanRL | `gymnasium_vec.GymnasiumVectorEnv(batch)` | envwright[gymnasium] |
| `gym.make`, `gym.make_vec` | `import envwright.adapters.gymnasium_registration` | envwright[gymnasium] |
| gymnax 1.0 | `gymnax.Gymnax(env)` | envwright[gymnax] |
| gymnax 0.x, PureJaxRL, rejax | `gymnax_legacy.GymnaxLegacy(env)` | envwright[gymnax] |
| Brax | `brax.BraxEnv(env)` | envwright[brax] |
| Stable-Baselines3 | `sb3.SB3VecEnv(batch)` | envwright[sb3] |
| arrays for NumPy and PyTorch | `handover.to_numpy(array)`, `handover.to_torch(array)` | PyTorch for the latter |

The same things have different names elsewhere:

| meaning | here and gymnax 1.0 | Gymnasium | Gymnasium 0.29 | Stable-Baselines3 |
|---|---|---|---|---|
| last observation of an episode | `final_observation` | `final_obs` | `final_observation` | `terminal_observation` |
| the rules ended it | `terminated` | `terminations` | `terminations` | `done` without `TimeLimit.truncated` |
| the time limit did | `truncated` | `truncations` | `truncations` | `TimeLimit.truncated`, unless the rules did too |

Brax's `truncation` is Stable-Baselines3's `TimeLimit.truncated`; it keeps no last observation.
"""
