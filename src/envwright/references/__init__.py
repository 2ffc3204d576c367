"""How slow environments are obtained and run. Nothing an environment does at run time imports this."""
