"""The API of the twin, apart from how its bytes travel: requests in, answers out."""
