"""The size of an answer: its number of leaves, the deepest objects in its tree of objects."""


def leaves(answer: object) -> int:
    """Count the objects that contain no other; an empty list counts none.

    This is LinGBM's measure of answers: all scalar fields of an object together are one leaf.
    """
    if isinstance(answer, list | tuple):
        return sum(map(leaves, answer))
    if not isinstance(answer, dict):
        return 0
    nested = [value for value in answer.values() if isinstance(value, dict | list | tuple)]
    if nested:
        return sum(map(leaves, nested))
    return 0 if answer and all(value is None for value in answer.values()) else 1
