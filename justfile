# Exactly what CI runs.
check:
    bash .ci/run

# Counts the instructions of a call and compares; `just instructions --update` writes the counts down.
instructions *options:
    python3 .ci/instructions {{ options }}

# One or more of its steps, e.g. `just step lint docs`; `just step list` names them.
step *names:
    bash .ci/run {{ names }}
