"""How large an answer is: the deepest objects in it, each a leaf of a tree of objects."""


def leaves(answer: object) -> int:
    """Count the objects that hold no other; an empty list in an object's place leaves none.

    LinGBM measures answers so: an object's plain fields are one leaf together.
    """
    if isinstance(answer, list | tuple):
        return sum(map(leaves, answer))
    if not isinstance(answer, dict):
        return 0
    nested = [value for value in answer.values() if isinstance(value, dict | list | tuple)]
    if nested:
        return sum(map(leaves, nested))
    return 0 if answer and all(value is None for value in answer.values()) else 1
