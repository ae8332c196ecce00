"""What runs inside containers: programs that are simulated as timers, lines of log and an end."""
