"""Files become values with positions."""

from bridgehead.sources.folder import Recording, read_folder
from bridgehead.sources.manifests import read_manifests
from bridgehead.sources.raw import RawObject

__all__ = ["RawObject", "Recording", "read_folder", "read_manifests"]
