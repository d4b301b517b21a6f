//! The examples of RFC 7541, appendix C, and both halves against each other.

use super::*;

type Fields = Vec<(String, String)>;

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u8> = hexadecimal
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn decode(decoder: &mut Decoder, block: &[u8]) -> Option<Fields> {
    let mut fields = Fields::new();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    decoder.decode(block, |name, value| fields.push((text(name), text(value))))?;
    Some(fields)
}

fn fields(pairs: &[(&str, &str)]) -> Fields {
    pairs
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect()
}

fn check(decoder: &mut Decoder, block: &str, expected: &[(&str, &str)], table_size: usize) {
    assert_eq!(decode(decoder, &bytes(block)).unwrap(), fields(expected));
    assert_eq!(decoder.table_size(), table_size);
}

#[test]
fn integers_of_the_specification() {
    for (value, bits, coded) in [(10, 5, "0a"), (1337, 5, "1f9a0a"), (42, 8, "2a")] {
        let mut out = Vec::new();
        integer::write(&mut out, value, bits, 0);
        assert_eq!(out, bytes(coded));
        assert_eq!(integer::read(&mut out.as_slice(), bits), Some(value));
    }
    assert_eq!(
        integer::read(&mut [0x1f, 0x9a].as_slice(), 5),
        None,
        "cut off"
    );
    assert_eq!(
        integer::read(&mut [0x1f, 255, 255, 255, 255, 255].as_slice(), 5),
        None,
        "huge"
    );
}

#[test]
fn single_fields_c2() {
    let mut decoder = Decoder::new();
    let block = "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572";
    check(&mut decoder, block, &[("custom-key", "custom-header")], 55);
    let mut decoder = Decoder::new();
    check(
        &mut decoder,
        "040c 2f73 616d 706c 652f 7061 7468",
        &[(":path", "/sample/path")],
        0,
    );
    check(
        &mut decoder,
        "1008 7061 7373 776f 7264 0673 6563 7265 74",
        &[("password", "secret")],
        0,
    );
    check(&mut decoder, "82", &[(":method", "GET")], 0);
}

const FIRST: [(&str, &str); 4] = [
    (":method", "GET"),
    (":scheme", "http"),
    (":path", "/"),
    (":authority", "www.example.com"),
];
const SECOND: [(&str, &str); 5] = [
    (":method", "GET"),
    (":scheme", "http"),
    (":path", "/"),
    (":authority", "www.example.com"),
    ("cache-control", "no-cache"),
];
const THIRD: [(&str, &str); 5] = [
    (":method", "GET"),
    (":scheme", "https"),
    (":path", "/index.html"),
    (":authority", "www.example.com"),
    ("custom-key", "custom-value"),
];

#[test]
fn requests_without_huffman_c3() {
    let mut decoder = Decoder::new();
    check(
        &mut decoder,
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        &FIRST,
        57,
    );
    check(
        &mut decoder,
        "8286 84be 5808 6e6f 2d63 6163 6865",
        &SECOND,
        110,
    );
    let block = "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65";
    check(&mut decoder, block, &THIRD, 164);
}

#[test]
fn requests_with_huffman_c4() {
    let mut decoder = Decoder::new();
    check(
        &mut decoder,
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        &FIRST,
        57,
    );
    check(&mut decoder, "8286 84be 5886 a8eb 1064 9cbf", &SECOND, 110);
    let block = "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf";
    check(&mut decoder, block, &THIRD, 164);
}

#[test]
fn responses_that_push_entries_out_c6() {
    let mut decoder = Decoder::new();
    // The example's limit of 256 is reached by a size update at the front.
    let block = "3fe1 0148 8264 0258 85ae c377 1a4b 6196 d07a be94 1054 d444 a820 0595 040b 8166
                 e082 a62d 1bff 6e91 9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3";
    let common = [
        ("cache-control", "private"),
        ("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
        ("location", "https://www.example.com"),
    ];
    let with_status = |status| [[(":status", status)].as_slice(), common.as_slice()].concat();
    check(&mut decoder, block, &with_status("302"), 222);
    check(
        &mut decoder,
        "4883 640e ffc1 c0bf",
        &with_status("307"),
        222,
    );
    let block = "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab
                 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f
                 9587 3160 65c0 03ed 4ee5 b106 3d50 07";
    let last = [
        (":status", "200"),
        ("cache-control", "private"),
        ("date", "Mon, 21 Oct 2013 20:13:22 GMT"),
        ("location", "https://www.example.com"),
        ("content-encoding", "gzip"),
        (
            "set-cookie",
            "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
        ),
    ];
    check(&mut decoder, block, &last, 215);
}

#[test]
fn malformed_blocks_are_refused() {
    for block in [
        "80",
        "be",
        "ff00",
        "4001",
        "40",
        "0085f2b24a84ff",
        "3fe21f",
        "82 20",
    ] {
        assert_eq!(decode(&mut Decoder::new(), &bytes(block)), None, "{block}");
    }
}

/// Encodes blocks of fields, given by number, and decodes them again.
struct Pair {
    encoder: Encoder,
    decoder: Decoder,
    fields: Vec<Field>,
}

impl Pair {
    fn new(fields: Vec<Field>) -> Self {
        let mut encoder = Encoder::new();
        encoder.reset(fields.len());
        Self {
            encoder,
            decoder: Decoder::new(),
            fields,
        }
    }

    fn send(&mut self, numbers: &[u32]) -> (usize, Fields) {
        let mut block = Vec::new();
        self.encoder.begin(&mut block);
        for &number in numbers {
            self.encoder
                .write(number, &self.fields[number as usize], &mut block);
        }
        (block.len(), decode(&mut self.decoder, &block).unwrap())
    }
}

#[test]
fn repeated_fields_shrink_to_a_byte() {
    let mut pair = Pair::new(vec![
        Field::new(":method", "POST", Indexing::Yes),
        Field::new(":path", "/games.v1.Games/ReadGame", Indexing::Yes),
        Field::new("te", "trailers", Indexing::Yes),
        Field::new("x-request", "17", Indexing::No),
    ]);
    let expected = fields(&[
        (":method", "POST"),
        (":path", "/games.v1.Games/ReadGame"),
        ("te", "trailers"),
        ("x-request", "17"),
    ]);
    let (first_length, first) = pair.send(&[0, 1, 2, 3]);
    let (second_length, second) = pair.send(&[0, 1, 2, 3]);
    assert_eq!((&first, &second), (&expected, &expected));
    // Three indices; then, for the field that is not entered, a byte and two texts.
    assert_eq!(second_length, 3 + 1 + (1 + 7) + (1 + 2));
    assert!(first_length > 30);
    assert_eq!(
        pair.send(&[2, 1]).1,
        fields(&[("te", "trailers"), (":path", "/games.v1.Games/ReadGame")])
    );
}

#[test]
fn a_full_table_is_left_as_it_is() {
    let value = "v".repeat(1000);
    let names: Vec<String> = (0..6).map(|number| format!("x-{number}")).collect();
    let mut pair = Pair::new(
        names
            .iter()
            .map(|name| Field::new(name, &value, Indexing::Yes))
            .collect(),
    );
    let expected: Fields = names
        .iter()
        .map(|name| (name.clone(), value.clone()))
        .collect();
    for _ in 0..3 {
        assert_eq!(pair.send(&[0, 1, 2, 3, 4, 5]).1, expected);
    }
    assert_eq!(pair.decoder.table_size(), 3 * (3 + 1000 + 32));
}

#[test]
fn a_smaller_table_is_announced() {
    let mut pair = Pair::new(vec![Field::new("a", "1", Indexing::Yes)]);
    pair.send(&[0]);
    for size in [0, 100, 34, 9999] {
        pair.encoder.limit(size);
        for _ in 0..2 {
            assert_eq!(pair.send(&[0]).1, fields(&[("a", "1")]));
        }
        assert_eq!(pair.decoder.table_size(), if size == 0 { 0 } else { 34 });
    }
}
