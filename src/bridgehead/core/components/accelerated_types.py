"""Instance types of clouds that come with accelerators, by their names.

Sources: https://aws.amazon.com/ec2/instance-types/ (accelerated computing),
https://learn.microsoft.com/azure/virtual-machines/sizes/overview (N family),
https://cloud.google.com/compute/docs/accelerator-optimized-machines.
"""

import re

_ACCELERATED = re.compile(
    r"(p\d\w*|g\d\w*|trn\d\w*|inf\d\w*|dl\d\w*|f\d|vt\d)\.\w+|standard_n[a-z]+\d\w*"
    r"|(a[234]|g[24])-\w+-\S+|ct\d\w*-\S+",
    re.IGNORECASE,
)


def accelerated(instance_type: str) -> bool:
    """Whether machines of this type have accelerators; False where its name says nothing."""
    return _ACCELERATED.fullmatch(instance_type) is not None
