//! The words of a generated bank. Written for wirelab; changing one changes the data of every seed.
//!
//! Some deliberately contain characters that encoders handle wrongly: quotes, `&`, `<`, `%`, a
//! backslash, letters outside ASCII.

/// One kind of movement.
pub struct Kind {
    pub name: &'static str,
    /// The first letter of its references.
    pub letter: char,
    /// The percentage of movements of this kind.
    pub percent: u64,
    /// The percentage of movements of this kind that are paid out of the account.
    pub percent_out: u64,
    pub most_cents: u64,
    /// A template for `text::fill`.
    pub description: &'static str,
}

/// Every kind of movement.
pub const KINDS: [Kind; 6] = [
    Kind {
        name: "purchase",
        letter: 'P',
        percent: 44,
        percent_out: 100,
        most_cents: 50_000,
        description: "{shop}, {city}",
    },
    Kind {
        name: "transfer",
        letter: 'T',
        percent: 22,
        percent_out: 50,
        most_cents: 2_000_000,
        description: "{given} {family}: {purpose}",
    },
    Kind {
        name: "withdrawal",
        letter: 'W',
        percent: 14,
        percent_out: 100,
        most_cents: 60_000,
        description: "Cash machine no. {digit}, {city}",
    },
    Kind {
        name: "deposit",
        letter: 'D',
        percent: 12,
        percent_out: 0,
        most_cents: 1_000_000,
        description: "{source} in {city}",
    },
    Kind {
        name: "fee",
        letter: 'F',
        percent: 5,
        percent_out: 100,
        most_cents: 2_500,
        description: "{charge}",
    },
    Kind {
        name: "interest",
        letter: 'I',
        percent: 3,
        percent_out: 0,
        most_cents: 20_000,
        description: "Interest on savings, {rate} a year",
    },
];

/// The cities of customers and cash machines.
pub const CITIES: [&str; 12] = [
    "Ambato",
    "Azogues",
    "Cañar",
    "Cuenca",
    "Guayaquil",
    "Ibarra",
    "Latacunga",
    "Loja",
    "Otavalo",
    "Quito",
    "Riobamba",
    "Tulcán",
];

/// The words for a placeholder of `text::fill`.
pub fn lexicon(name: &str) -> &'static [&'static str] {
    match name {
        "given" => &[
            "Adela", "Bolívar", "Carmen", "Diego", "Elena", "Fabián", "Gloria", "Hernán", "Inés",
            "José", "Luz", "Mateo", "Noemí", "Óscar", "Paúl", "Rosa", "Sofía", "Tomás", "Úrsula",
            "Zoila",
        ],
        "family" => &[
            "Acosta",
            "Benalcázar",
            "Chávez",
            "D'Angelo",
            "Espinoza",
            "Farinango",
            "Guamán",
            "Hidalgo",
            "Ibáñez",
            "Jaramillo",
            "Lema",
            "Morales",
            "Ñauta",
            "Ortiz",
            "Peñafiel",
            "Quishpe",
            "Ruiz",
            "Sánchez",
            "Túquerres",
            "Vega",
        ],
        "city" => &CITIES,
        "shop" => &[
            "Bakery \"El Trigal\"",
            "Books & More",
            "Café del Sol",
            "Chemist's",
            "Farmacia Ñuca",
            "Fruit market",
            "Fuel – station 7",
            "Hardware\\Tools",
            "Shoes < 50 €",
            "Supermarket Doña Flor",
            "Telephone top-up",
            "Toys -20%",
        ],
        "purpose" => &[
            "rent",
            "invoice {digit}{digit}{digit}",
            "school fees",
            "thank you!",
            "shared dinner",
            "car, part {digit} of 9",
        ],
        "source" => &["Cash at the counter", "Cheque", "Salary", "Night safe"],
        "charge" => &[
            "Account upkeep, quarter {digit}",
            "Card replacement",
            "Cheque book with {digit}0 leaves",
            "Foreign transaction, {rate}",
        ],
        "rate" => &["0.25%", "0.5%", "1%", "1.75%", "2.5%"],
        "digit" => &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        _ => &[],
    }
}
