//! The words that generated books are made of, and where authors come from. Written for wirelab; to
//! change one changes the data of every seed.
//!
//! Some hold characters that encoders trip over, on purpose: quotes, `&`, `<`, `%`, a backslash,
//! letters outside ASCII.

/// The words for a placeholder, as `text::fill` wants them.
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

/// Where authors come from: some of those in the domain's list of countries.
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
