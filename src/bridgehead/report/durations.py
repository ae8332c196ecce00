"""Durations as people write them."""


def spoken(seconds: float) -> str:
    """``90`` as ``1m30s``; parts of a second only below ten."""
    if seconds < 10 and seconds != int(seconds):
        return f"{seconds:.1f}s"
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    parts = [f"{hours}h" if hours else "", f"{minutes}m" if minutes else ""]
    parts.append(f"{secs}s" if secs or not whole else "")
    return "".join(parts)
