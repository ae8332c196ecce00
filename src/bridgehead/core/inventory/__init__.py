"""From a snapshot to what runs where, in which cohorts, and how two inventories differ."""
