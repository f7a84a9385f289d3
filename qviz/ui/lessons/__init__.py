"""Lessons as data: tensor, controls, question, picture; each computes its answers."""
