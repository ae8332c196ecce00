"""Objects as the rows that ``kubectl get`` shows: ``meta.k8s.io/v1`` Tables.

The API server computes them, not kubectl; so every word of a row is part of the API. One file a
family of kinds, each a function from an object to the cells of its row.

Source: k8s.io/kubernetes/pkg/printers/internalversion/printers.go (Kubernetes 1.37).
"""

from bridgehead.twin.tables.table import Include, table

__all__ = ["Include", "table"]
