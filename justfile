# Exactly what CI runs.
check:
    bash .ci/run

# One or more of its steps, e.g. `just step lint docs`; `just step list` names them.
step *names:
    bash .ci/run {{ names }}
