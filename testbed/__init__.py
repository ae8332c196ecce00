"""A real Kubernetes cluster on one machine, for tests: real kubelets, real container runtime.

Everything that runs is built from public Go modules (`testbed/go/`), nothing is downloaded as a
binary. Needs Linux, root and four Debian packages; `python -m testbed build` says what is missing.
"""
