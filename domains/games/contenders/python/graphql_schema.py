"""The GraphQL schema of the games, as ../../schema.graphql says it, with its resolvers."""

import graphene
from graphene import ID, Float, Int, List, NonNull, ObjectType, String

from game import Document, game_from, id_from, limit_from
from store import Store


class GameFields:
    """What both have: a game, and a game as a client writes it."""

    url = String()
    name = String(required=True)
    types = String()
    desc_snippet = String()
    recent_reviews = String()
    all_reviews = String()
    release_date = String(description="ISO 8601, as in 2016-05-12.")
    developer = String()
    publisher = String()
    popular_tags = List(NonNull(String))
    game_details = List(NonNull(String))
    languages = List(NonNull(String))
    achievements = Int()
    genre = List(NonNull(String))
    game_description = String()
    mature_content = String()
    minimum_requirements = String()
    recommended_requirements = String()
    original_price = Float()
    discount_price = Float()


class Game(GameFields, ObjectType):
    """A game of the catalogue."""

    id = ID(required=True)


class GameInput(GameFields, graphene.InputObjectType):
    """A game as a client writes it: everything but the id."""


class Query(ObjectType):
    """What can be asked."""

    ping = String(required=True, description="The control: touches no store.")
    game = graphene.Field(Game, id=ID(required=True), description="One game by its id.")
    games = List(
        NonNull(Game),
        required=True,
        limit=Int(required=True),
        description="The first games in the order of their ids; limit is 1 to 1000.",
    )

    @staticmethod
    def resolve_ping(_: None, __: graphene.ResolveInfo) -> str:
        return "ok"

    @staticmethod
    def resolve_game(_: None, info: graphene.ResolveInfo, id: str) -> Document:
        return _store(info).read(id_from(id))

    @staticmethod
    def resolve_games(_: None, info: graphene.ResolveInfo, limit: int) -> list[Document]:
        return _store(info).list(limit_from(limit))


class CreateGame(graphene.Mutation):
    """Add a game; the server gives it an id."""

    class Arguments:
        game = GameInput(required=True)

    Output = NonNull(Game)

    @staticmethod
    def mutate(_: None, info: graphene.ResolveInfo, game: Document) -> Document:
        return _store(info).create(game_from(game))


class UpdateGame(graphene.Mutation):
    """Replace every field of a game."""

    class Arguments:
        id = ID(required=True)
        game = GameInput(required=True)

    Output = NonNull(Game)

    @staticmethod
    def mutate(_: None, info: graphene.ResolveInfo, id: str, game: Document) -> Document:
        return _store(info).update(id_from(id), game_from(game))


class DeleteGame(graphene.Mutation):
    """Remove a game; answers its id."""

    class Arguments:
        id = ID(required=True)

    Output = NonNull(ID)

    @staticmethod
    def mutate(_: None, info: graphene.ResolveInfo, id: str) -> str:
        _store(info).delete(id_from(id))
        return id


class Mutation(ObjectType):
    """What can be changed."""

    create_game = CreateGame.Field()
    update_game = UpdateGame.Field()
    delete_game = DeleteGame.Field()


def _store(info: graphene.ResolveInfo) -> Store:
    store: Store = info.context["store"]
    return store


schema = graphene.Schema(query=Query, mutation=Mutation)
