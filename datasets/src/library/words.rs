//! The words of generated books, and the countries of authors. Written for wirelab; changing one
//! changes the data of every seed.
//!
//! Some deliberately contain characters that encoders handle wrongly: quotes, `&`, `<`, `%`, a
//! backslash, letters outside ASCII.

/// The words for a placeholder of `text::fill`.
pub fn lexicon(name: &str) -> &'static [&'static str] {
    match name {
        "title" => &[
            "The {adjective} {thing}",
            "The {adjective} {thing}",
            "A {thing} for {person}",
            "{person}'s {thing}",
            "{person} & the {adjective} {thing}",
            "The \"{adjective}\" {thing}",
            "{thing} < {thing}",
            "100% {adjective}",
            "C:\\{thing}",
            "{person} – la {thing} d'été",
            "{person} und das Mädchen",
            "{person} の本",
        ],
        "person" => &[
            "Agnieszka",
            "Björn",
            "Chloé",
            "Dóra",
            "Emeka",
            "Fatima",
            "Giulia",
            "Hiro",
            "Ingrid",
            "Jørgen",
            "Katja",
            "Łucja",
            "Mateo",
            "Noor",
            "Oisín",
            "Priya",
            "Řehoř",
            "Şirin",
        ],
        "adjective" => &[
            "Borrowed", "Careful", "Distant", "Early", "Folded", "Green", "Honest", "Idle", "Late",
            "Missing", "Narrow", "Open", "Patient", "Quiet", "Second", "Unsent",
        ],
        "thing" => &[
            "Atlas", "Bridge", "Calendar", "Door", "Envelope", "Ferry", "Garden", "House",
            "Ladder", "Letter", "Map", "Orchard", "Piano", "River", "Station", "Window",
        ],
        _ => &[],
    }
}

/// The countries of authors: some of the domain's list of countries.
pub const COUNTRIES: [&str; 20] = [
    "Argentina",
    "Brazil",
    "Canada",
    "Curaçao",
    "Côte d'Ivoire",
    "Egypt",
    "Finland",
    "Germany",
    "India",
    "Ireland",
    "Japan",
    "Kenya",
    "New Zealand",
    "Nigeria",
    "Poland",
    "South Korea",
    "São Tomé and Príncipe",
    "Türkiye",
    "Ukraine",
    "United States",
];
