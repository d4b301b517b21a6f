"""The experiment: the stages of a study in order, from files to a sealed bundle."""
