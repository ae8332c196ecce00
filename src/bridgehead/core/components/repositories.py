"""Images known by the end of their path, as registries are mirrored under any name."""

import re

from bridgehead.core.model.image import ImageError, parse_image


def repository_matches(image: str, pattern: str) -> bool:
    """Whether the image's repository contains the pattern; False for what is no image name."""
    try:
        repository = parse_image(image).repository
    except ImageError:
        return False
    return re.search(pattern, repository) is not None


_OPEN = re.compile(
    r"docker\.io|ghcr\.io|quay\.io|nvcr\.io|gcr\.io|registry\.k8s\.io|public\.ecr\.aws"
    r"|mcr\.microsoft\.com|registry\.gitlab\.com|registry\.redhat\.io"
    r"|[\w-]+\.gcr\.io|[\w-]+\.pkg\.dev|[\w-]+\.azurecr\.(io|cn)"
    r"|\d+\.dkr\.ecr[\w.-]*\.amazonaws\.com(\.cn)?"
)


def may_need_no_secret(registry: str) -> bool:
    """Whether it is one of the public registries, where most images need no credentials, or one of
    a cloud whose nodes have credentials of their own.

    Source: https://kubernetes.io/docs/tasks/administer-cluster/kubelet-credential-provider/
    """
    return _OPEN.fullmatch(registry) is not None
