"""Who may do what on a twin: tokens, impersonation, rules of RBAC, and the reviews that ask."""
