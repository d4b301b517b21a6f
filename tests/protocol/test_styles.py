"""Lists and objects in URLs and forms: the tables of OpenAPI 3.0.4 (Style Examples), RFC 6570."""

import pytest

from wirelab.protocol.rest import RestCodec, RestRequest

LIST, TABLE = ["blue", "black"], {"R": 100, "G": 200}


def sent(**keys: object) -> tuple[str, bytes]:
    request = RestRequest.model_validate({"method": "GET", **keys})
    parameters = {"color": LIST, "rgb": TABLE, "one": "a b", "none": [], "deep": {"a": {"b": [1]}}}
    wire = RestCodec("/api", "snake").encode_request(request, parameters)
    return wire.path.removeprefix("/api"), wire.body


@pytest.mark.parametrize(
    ("style", "of_list", "of_table"),
    [
        ("simple", "blue,black", "R,100,G,200"),
        ("simple*", "blue,black", "R=100,G=200"),
        ("label", ".blue,black", ".R,100,G,200"),
        ("label*", ".blue.black", ".R=100.G=200"),
        ("matrix", ";color=blue,black", ";rgb=R,100,G,200"),
        ("matrix*", ";color=blue;color=black", ";R=100;G=200"),
        (
            "json",
            "%5B%22blue%22%2C%20%22black%22%5D",
            "%7B%22R%22%3A%20100%2C%20%22G%22%3A%20200%7D",
        ),
    ],
)
def test_styles_of_paths(style: str, of_list: str, of_table: str) -> None:
    path, _ = sent(path="/{color}/{rgb}", styles={"color": style, "rgb": style})

    assert path == f"/{of_list}/{of_table}"


@pytest.mark.parametrize(
    ("style", "of_list", "of_table"),
    [
        ("simple", "blue,black", "R,100,G,200"),
        ("simple*", "blue,black", "R=100,G=200"),
        ("json", '["blue", "black"]', '{"R": 100, "G": 200}'),
    ],
)
def test_styles_of_headers(style: str, of_list: str, of_table: str) -> None:
    headers = {"x-list": "{color}", "x-table": "{rgb}", "x-text": "of {one}"}
    sent = headers_of(headers, {"color": style, "rgb": style})

    assert [sent[name] for name in headers] == [of_list, of_table, "of a b"]


@pytest.mark.parametrize(
    ("style", "cookie"),
    [
        ("form", "s=1; color=blue,black; rgb=R,100,G,200; one=a b"),
        ("form*", "s=1; color=blue; color=black; R=100; G=200; one=a b"),
    ],
)
def test_styles_of_cookies(style: str, cookie: str) -> None:
    template = "s=1; color={color}; rgb={rgb}; one={one}"

    assert headers_of({"cookie": template}, {"color": style, "rgb": style})["cookie"] == cookie


def headers_of(headers: dict[str, str], styles: dict[str, str]) -> dict[str, str]:
    request = RestRequest.model_validate(
        {"method": "GET", "path": "/", "headers": headers, "styles": styles}
    )
    wire = RestCodec("/", "snake").encode_request(
        request, {"color": LIST, "rgb": TABLE, "one": "a b"}
    )
    return dict(wire.headers)


@pytest.mark.parametrize(
    ("style", "of_list", "of_table"),
    [
        ("form", "color=blue,black", "rgb=R,100,G,200"),
        ("form*", "color=blue&color=black", "R=100&G=200"),
        ("spaceDelimited", "color=blue%20black", "rgb=R%20100%20G%20200"),
        ("pipeDelimited", "color=blue%7Cblack", "rgb=R%7C100%7CG%7C200"),
        ("deepObject*", "color%5B0%5D=blue&color%5B1%5D=black", "rgb%5BR%5D=100&rgb%5BG%5D=200"),
    ],
)
def test_styles_of_queries_and_forms(style: str, of_list: str, of_table: str) -> None:
    styles = {"color": style, "rgb": style}
    path, _ = sent(path="/?color={color}&rgb={rgb}", styles=styles)
    _, form = sent(path="", form={"color": "{color}", "rgb": "{rgb}"}, styles=styles)

    assert path == f"/?{of_list}&{of_table}"
    assert form.decode() == f"{of_list}&{of_table}"


@pytest.mark.parametrize(
    ("path", "filled"),
    [
        ("/a?x={one}", "/a?x=a%20b"),
        ("/a?x={none}", "/a"),
        ("/a?x=1&y=-{one}&flag", "/a?x=1&y=-a%20b&flag"),
        ("/{one}?deep={deep}", "/a%20b?deep%5Ba%5D%5Bb%5D%5B0%5D=1"),
        ("/{{one}}", "/%7Bone%7D"),
    ],
)
def test_other_parts_of_a_url(path: str, filled: str) -> None:
    assert sent(path=path, styles={"deep": "deepObject*"})[0] == filled


def test_a_label_and_a_matrix_of_a_single_value() -> None:
    styles = {"one": "matrix", "color": "label"}

    assert sent(path="/{one}/{color}", styles=styles)[0] == "/;one=a%20b/.blue,black"


def test_the_server_of_an_operation_replaces_the_path_of_the_contender() -> None:
    request = RestRequest(method="GET", path="/x", base="/v2")

    assert RestCodec("/api", "snake").encode_request(request, {}).path == "/v2/x"
