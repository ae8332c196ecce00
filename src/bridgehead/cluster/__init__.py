"""The only readers and writers of a cluster: snapshot, effects, lock, run store."""
