"""``python -m bridgehead.cluster > docs/reference/cluster-writes.md``: the page of all writes."""

import sys

from bridgehead.cluster.writes import writes_page

if __name__ == "__main__":
    sys.stdout.write(writes_page())
