"""Where the cluster is and who we are there. The only part of the client that reads files, the
environment, or runs programs.
"""

from bridgehead.kube.config.load import load_config
from bridgehead.kube.config.values import Connection

__all__ = ["Connection", "load_config"]
