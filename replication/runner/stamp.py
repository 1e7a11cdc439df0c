"""What a model says about itself."""

SEEDED = "the noise came from a seeded source"


class Wrong(Exception):
    """The program did not do what the runner relies on."""


def check_stamp(card):
    """A model of seeded noise must say so. Returns whether the seed is the only thing that makes it not private."""
    reasons = card.get("not_private_because", [])
    if card.get("private") is not False or not any(reason.startswith(SEEDED) for reason in reasons):
        raise Wrong("a model of seeded noise is not stamped: not private")
    return all(reason.startswith(SEEDED) for reason in reasons)
