"""From a slow environment to a fast one: analyse, plan, prompt, judge, repair, package."""
