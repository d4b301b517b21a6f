"""A small world: few enough rows to think about, with everything in them that goes wrong easily.

Numbers are drawn from a seed; comments state what the tests of single rules rely on.
"""

from random import Random
from typing import Any

Row = tuple[Any, ...]

UNIVERSITIES = range(6)
EMPTY_UNIVERSITY = 5
"""The university without former students."""
DEPARTMENTS = range(8)
WORDS = ["alpha", "Alpha", "10%", "under_score", "quote'd", "back\\slash", "beta", "gamma", "zeta"]
KINDS = ["fullProfessor", "associateProfessor", "assistantProfessor"]


def world() -> dict[str, list[Row]]:
    """Return the rows by table, each in the order of the columns."""
    random = Random("university")

    def university() -> int:
        return random.choice(UNIVERSITIES[:EMPTY_UNIVERSITY])

    def words(least: int, most: int) -> str:
        return "".join(f"{random.choice(WORDS)} " for _ in range(random.randint(least, most)))

    def person(kind: str, number: int) -> Row:
        return (number, kind, "xxx-xxx-xxxx", f"{kind}{number}@example.edu")

    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    tables["university"] = [(nr, f"university{nr}" if nr else None) for nr in UNIVERSITIES]
    # Department 7 belongs to no university, and has neither head nor members.
    tables["department"] = [(nr, f"department{nr}", nr % 4) for nr in DEPARTMENTS[:-1]]
    tables["department"].append((7, "department7", None))
    tables["researchGroup"] = [(100 + nr, nr // 2) for nr in range(16)]

    for nr in range(1, 22):
        degrees = (university(), university(), university())
        department = random.choice(DEPARTMENTS[:-1])
        tables["faculty"].append((*person("faculty", nr), *degrees, department))
        if nr % 3 == 0:
            tables["lecturer"].append((nr,))
        else:
            head_of = None if nr > 7 else nr - 1
            interest = None if nr == 4 else words(1, 3)
            tables["professor"].append((nr, random.choice(KINDS), interest, head_of))
        for number in range(random.randint(0, 2)):
            tables["graduateCourse"].append((10 * nr + number, "course", nr))
            tables["undergraduateCourse"].append((10 * nr + number, "course", nr, None))
        for number in range(random.randint(0, 4)):
            written = (100 * nr + number, "publication", words(1, 2), words(2, 5), nr)
            tables["publication"].append(written)
    # Two publications of one author with one title, so that the number decides.
    tables["publication"] += [(n, "publication", "same ", "same ", 1) for n in (9001, 9000)]

    professors = [row[0] for row in tables["professor"]]
    # The numbers of students begin among those of professors, and rows do not lie in their order.
    students = list(range(10, 50))
    random.shuffle(students)
    for nr in students:
        advisor = None if nr % 13 == 0 else random.choice(professors)
        age = None if nr == 20 else random.randint(20, 27)
        member = random.choice(DEPARTMENTS)
        student = (*person("graduate", nr), age, university(), advisor, member)
        tables["graduateStudent"].append(student)
        for course in random.sample(tables["graduateCourse"], random.randint(0, 3)):
            tables["graduateStudentTakeCourse"].append((nr, course[0]))
        for publication in random.sample(tables["publication"], random.randint(0, 2)):
            tables["coAuthorOfPublication"].append((publication[0], nr))
    tables["undergraduateCourse"] = [
        (nr, name, teacher, random.choice([None, *students]))
        for nr, name, teacher, _ in tables["undergraduateCourse"]
    ]
    for nr in range(1, 31):
        advisor = random.choice([None, *professors])
        student = (*person("undergraduate", nr), random.randint(16, 24), advisor, nr % 7)
        tables["undergraduateStudent"].append(student)
        for course in random.sample(tables["undergraduateCourse"], random.randint(0, 3)):
            tables["undergraduateStudentTakeCourse"].append((nr, course[0]))
    return tables


TABLES = (
    "university", "department", "researchGroup", "faculty", "professor", "lecturer",
    "graduateStudent", "undergraduateStudent", "graduateCourse", "undergraduateCourse",
    "publication", "coAuthorOfPublication", "graduateStudentTakeCourse",
    "undergraduateStudentTakeCourse",
)  # fmt: skip
"""In an order in which no row comes before one that it refers to."""
