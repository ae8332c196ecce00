"""What the API server of Kubernetes 1.37 says of itself: kinds, schemas, table columns.

``data/`` is generated from a real one (``testbed/api_description.py``) and compressed.
"""
