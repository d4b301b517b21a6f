"""A few games by hand: of the shape that the generator makes, with the awkward cases in."""

from dataclasses import dataclass, field
from typing import Any

Game = dict[str, Any]


def game(number: int) -> Game:
    """Make a whole game without an id, of about 3 KB."""
    return {
        "url": f"https://games.example/app/{number}/",
        "name": f"Tower of Cards {number}",
        "types": "app",
        "desc_snippet": "Build high, & never <look> down.",
        "recent_reviews": "Mostly Positive,(27),- 74% of the 27 user reviews are positive.",
        "all_reviews": "Very Positive,(1,204),- 86% of the 1,204 user reviews are positive.",
        "release_date": f"20{number % 30:02d}-02-28",
        "developer": "Zażółć Gęślą Jaźń — 遊戲",
        "publisher": 'The "Quoted" Publisher\\',
        "popular_tags": ["Strategy", "Card Game", "Indie 🎲"],
        "game_details": ["Single-player"],
        "languages": ["English", "Polski"],
        "achievements": number,
        "genre": ["Strategy"],
        "game_description": "About This Game\nLine two.\tTabbed.\n" + "All work, no play. " * 110,
        "mature_content": "Cards may cut.",
        "minimum_requirements": "OS: any\nMemory: 4 GB RAM",
        "recommended_requirements": "OS: any\nMemory: 8 GB RAM",
        "original_price": 19.99,
        "discount_price": None if number % 2 else 4.5,
    }


def catalogue(count: int) -> list[Game]:
    """Make games with ids, as they are loaded into a store; the last ones have gaps."""
    games = [{"id": f"game-{number:06d}", **game(number)} for number in range(count)]
    games[-1] = {"id": games[-1]["id"], "name": "Bare"}
    games[-2] |= {"popular_tags": [], "original_price": 10, "recent_reviews": None}
    return games


def without_absent(value: Any) -> Any:
    """Leave out what not every protocol can say: null and the empty list."""
    if isinstance(value, dict):
        return {
            key: without_absent(item)
            for key, item in value.items()
            if item is not None and item != []
        }
    if isinstance(value, list):
        return [without_absent(item) for item in value]
    return value


@dataclass(frozen=True)
class Workload:
    """A workload as a study would state it."""

    operation: str
    parameter_sets: int = 5
    parameters: dict[str, object] = field(default_factory=dict)
    instances: bool = False
    instances_from: str = ""
    inline: bool = False
