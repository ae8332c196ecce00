"""One file a family of components: how to recognise it, what it offers, how its logs speak."""
