//! The words of a generated shop. Written for wirelab; changing one changes the data of every seed.
//!
//! Some deliberately contain characters that encoders handle wrongly: quotes, `&`, `<`, `%`, a
//! backslash, letters outside ASCII.

/// A city of users.
pub struct City {
    pub name: &'static str,
    pub country: &'static str,
}

/// The cities of users.
pub const CITIES: [City; 10] = [
    City {
        name: "Århus",
        country: "DK",
    },
    City {
        name: "Bengaluru",
        country: "IN",
    },
    City {
        name: "Córdoba",
        country: "AR",
    },
    City {
        name: "Düsseldorf",
        country: "DE",
    },
    City {
        name: "Hyderabad",
        country: "IN",
    },
    City {
        name: "Kraków",
        country: "PL",
    },
    City {
        name: "Leeds",
        country: "GB",
    },
    City {
        name: "Nagpur",
        country: "IN",
    },
    City {
        name: "Saint-Étienne",
        country: "FR",
    },
    City {
        name: "St. John's",
        country: "CA",
    },
];

/// The statuses of orders; most have arrived.
pub const STATUSES: [&str; 6] = [
    "placed",
    "shipped",
    "delivered",
    "delivered",
    "delivered",
    "returned",
];

/// The words for a placeholder of `text::fill`.
pub fn lexicon(name: &str) -> &'static [&'static str] {
    match name {
        "given" => &[
            "Aarav",
            "Beatriz",
            "Chloé",
            "Dmitri",
            "Esther",
            "Farah",
            "Grażyna",
            "Henrik",
            "Ines",
            "Jürgen",
            "Kavya",
            "Liam",
            "Mónica",
            "Noor",
            "Oluwaseun",
            "Pavan",
            "Renée",
            "Søren",
            "Tomasz",
            "Zoë",
        ],
        "family" => &[
            "Adebayo",
            "Bergström",
            "Castillo",
            "D'Souza",
            "Eriksen",
            "Fernández",
            "Gupta",
            "Hoffmann",
            "Iyer",
            "Jabłońska",
            "Kumar",
            "Lefèvre",
            "Müller",
            "Nakamura",
            "O'Connor",
            "Patel",
            "Reddy",
            "Smith & Son",
            "Verma",
            "Yıldız",
        ],
        "secret" => &[
            "harbour", "lantern", "meadow", "pepper", "saffron", "thunder", "velvet", "willow",
        ],
        "street" => &[
            "Abbey Road",
            "Banjara Hills",
            "Calle Mayor",
            "Große Straße",
            "King's Parade",
            "MG Road",
            "Rue de l'Église",
            "Ulica Długa",
        ],
        "quality" => &[
            "brushed",
            "compact",
            "cordless",
            "fair-trade",
            "folding",
            "hand-made",
            "heavy-duty",
            "100% recycled",
            "stainless",
            "\"vintage\"",
            "wall-mounted",
            "waterproof",
        ],
        "thing" => &[
            "backpack",
            "bicycle lamp",
            "café table",
            "chess set",
            "coffee grinder",
            "desk organiser",
            "frying pan",
            "garden hose",
            "headphones",
            "jigsaw puzzle",
            "lunch box",
            "measuring tape",
            "notebook & pen",
            "picture frame",
            "rain jacket",
            "screwdriver set",
            "teapot",
            "thermos flask",
            "umbrella",
            "yoga mat",
        ],
        "line" => &[
            "Classic",
            "Élan",
            "Mk {digit}",
            "N°{digit}",
            "Pro",
            "S{digit}{digit}",
            "XL < 2 kg",
            "{digit}-pack",
        ],
        "praise" => &[
            "made of {material} and finished by hand",
            "fits into every drawer, even a small one",
            "comes with a guarantee of {digit} years",
            "tested up to {digit}0 °C",
            "the handle is of {material}",
            "spare parts are to be had for {digit} years",
            "easy to clean: wipe it & let it dry",
            "designed in {maker}, built to last",
            "holds {digit}.5 litres",
            "weighs less than {digit}00 g",
        ],
        "material" => &[
            "aluminium",
            "beech wood",
            "bamboo",
            "cast iron",
            "linen",
            "recycled glass",
        ],
        "maker" => &["Göteborg", "Jaipur", "Lyon", "Porto", "Sheffield"],
        "verdict" => &[
            "does what it says",
            "not worth the money",
            "my third one!",
            "solid, but heavy",
            "arrived late, works well",
            "exactly as in the picture",
            "broke after {digit} weeks",
            "a present that was liked",
            "très bien",
            "\"wow\"",
        ],
        "remark" => &[
            "I use it every day and would buy it again",
            "the colour is darker than in the picture",
            "the lid does not close properly",
            "the parcel was here after {digit} days",
            "my neighbour wants one, too",
            "after {digit} months it still looks new",
            "instructions are missing: see C:\\manual",
            "for the price it is more than all right",
            "it is louder than I thought, {digit}0 dB at least",
        ],
        "digit" => &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        _ => &[],
    }
}
