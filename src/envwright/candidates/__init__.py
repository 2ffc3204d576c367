"""How a translation under test is run, whoever wrote it: ours, gymnax's, pgx's, Jumanji's, Brax's, Gymnasium's."""
