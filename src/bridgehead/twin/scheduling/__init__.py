"""Which pod goes to which node: the predicates, the scheduler, the binding."""
