//! The words of generated games. Written for wirelab; changing one changes the data of every seed.
//!
//! Some deliberately contain characters that encoders handle wrongly: quotes, `&`, `<`, a
//! backslash, letters outside ASCII.

/// The words for a placeholder of `text::fill`.
pub fn lexicon(name: &str) -> &'static [&'static str] {
    match name {
        "title" => &[
            "{adjective} {place}",
            "{adjective} {place}™",
            "{proper}: {adjective} {thing}s",
            "{thing} & {thing}",
            "The {adjective} {thing} of {proper}",
            "The \"{adjective}\" {place}",
            "{proper}'s {place} II",
            "{proper} – {thing} d'été",
            "{place} < {place}",
            "{proper} 中文版",
        ],
        "proper" => &[
            "Aldérane",
            "Brückenau",
            "Calloway",
            "Dún Mór",
            "Evershade",
            "Fjordheim",
            "Gwynn",
            "Harrow",
            "Ílhavo",
            "Jörmund",
            "Kestrel",
            "Lumière",
            "Marrowick",
            "Nóra",
            "Oberon",
            "Pelagia",
            "Quill",
            "Rothmere",
            "Säntis",
            "Tamsin",
            "Ulmeria",
            "Veyra",
            "Wexley",
            "Żuraw",
            "龙门",
        ],
        "adjective" => &[
            "Amber",
            "Broken",
            "Clockwork",
            "Drowned",
            "Endless",
            "Frozen",
            "Gilded",
            "Hollow",
            "Iron",
            "Last",
            "Midnight",
            "Northern",
            "Patient",
            "Quiet",
            "Restless",
            "Scarlet",
            "Silent",
            "Tidal",
            "Unwritten",
            "Verdant",
            "Wandering",
            "Young",
        ],
        "place" => &[
            "Archive",
            "Bay",
            "Citadel",
            "Depths",
            "Estuary",
            "Foundry",
            "Garden",
            "Harbour",
            "Island",
            "Junction",
            "Kingdom",
            "Lighthouse",
            "Market",
            "Observatory",
            "Parish",
            "Quarry",
            "Reef",
            "Steppe",
            "Tundra",
            "Valley",
            "Works",
        ],
        "thing" => &[
            "Anchor", "Beacon", "Compass", "Ember", "Engine", "Feather", "Ghost", "Key", "Lantern",
            "Map", "Mirror", "Oath", "Petal", "Relic", "Signal", "Throne", "Voyage",
        ],
        "description" => &[
            "{people} of {proper} have lost the {quality} {item}, and only you still remember where \
             it was hidden.",
            "Build {item}s out of {material}, trade them for {material}, and keep {people} alive \
             through a {quality} winter.",
            "Every decision counts: help {people}, and {rival} will hunt you; betray them, and the \
             {item} of {proper} turns to {material}.",
            "Explore {number} hand-made regions, from the {quality} caves below {proper} to the \
             {quality} towers of {rival}.",
            "Fight alone or with up to {number} friends against {rival}, with weapons made of \
             {material} and a {quality} {item}.",
            "\"You will not find a more {quality} story about {people} this year,\" wrote nobody in \
             particular.",
            "Rules are simple (score < {number} loses, score > {number} wins) & the rest is up to \
             {people}.",
            "A {quality} soundtrack with {number} pieces by {proper} & {proper} follows your every \
             step.",
            "Craft, cook, fish and farm: in {proper} even {rival} need a {quality} {item} now and \
             then.",
            "Type your commands as in C:\\{proper} or click – the {item} obeys either way.",
            "No two journeys are alike, because {people} remember what you did with the {item}.",
            "Der Weg über {proper} führt zurück; l'été n'est jamais loin; 旅は続く.",
            "Weather, seasons and the price of {material} change the world between two visits; \
             {rival} never sleep.",
            "Share your own maps, follow {people} into theirs, and vote for the most {quality} one.",
            "Play with keyboard & mouse, a controller, or a single button: every speed and colour \
             can be set.",
            "Somewhere under {proper} a {quality} {item} made of {material} has begun to hum again.",
        ],
        "snippet" => &[
            "Lead {people} across {proper} in search of a {quality} {item}.",
            "A {quality} adventure about {people}, {material} & one {item}.",
            "Outwit {rival}, rebuild {proper}, and find out who took the {item}.",
            "{number} puzzles, {number} endings and a {quality} {item}: can you save {people}?",
            "Strategy for patient minds: {people} < {rival}, unless you hold the {item}.",
        ],
        "people" => &[
            "the last cartographers",
            "a crew of strangers",
            "three stubborn sisters",
            "the bell-makers",
            "a caravan of tinkers",
            "the lighthouse keepers",
            "a band of retired smugglers",
            "the glass gardeners",
            "a choir of machines",
            "the river folk",
            "two rival bakers",
            "the night watch",
        ],
        "rival" => &[
            "the Salt Company",
            "an army of moths",
            "the Regent's auditors",
            "the Grey Choir",
            "the storm herders",
            "the Ministry of Keys",
            "the drowned fleet",
            "the Café Syndicate",
        ],
        "item" => &[
            "lantern",
            "map",
            "engine",
            "ledger",
            "compass",
            "seed",
            "bell",
            "telescope",
            "violin",
            "anchor",
            "clock",
            "crown",
            "recipe",
            "harp",
        ],
        "quality" => &[
            "forgotten",
            "gentle",
            "merciless",
            "strange",
            "shimmering",
            "stubborn",
            "hand-drawn",
            "ancient",
            "half-finished",
            "breathtaking",
            "quiet",
            "dangerous",
            "whimsical",
        ],
        "material" => &[
            "copper",
            "driftwood",
            "moonlight",
            "basalt",
            "silk",
            "amber",
            "coal",
            "paper",
            "ice",
            "starlight",
            "clay",
        ],
        "number" => &[
            "2", "3", "4", "7", "8", "12", "16", "24", "30", "40", "64", "100",
        ],
        "company" => &[
            "{proper} Games",
            "Studio {proper}",
            "{adjective} {thing} Interactive",
            "{thing} & {thing} Ltd.",
            "{proper} Brothers",
            "Atelier {proper}",
            "{adjective} Pixel",
        ],
        "mature" => &[
            "The developers describe the content like this: {quality} fights with {rival}, and some \
             strong language.",
            "Contains {quality} scenes & references to {rival}; not for all ages.",
        ],
        "processor" => &[
            "2 GHz dual core",
            "2.8 GHz dual core",
            "3.2 GHz quad core",
            "8 cores",
        ],
        "graphics" => &[
            "any with 512 MB",
            "1 GB with shader model 4",
            "2 GB, Vulkan™ 1.1",
            "4 GB, DirectX® 11",
            "8 GB, DirectX® 12",
        ],
        "memory" => &["2", "4", "8", "16", "32"],
        "minimum" => &[
            "OS: 64-bit, 2015 or later; Processor: {processor}; Memory: {memory} GB; Graphics: \
             {graphics}; Storage: {number} GB; Notes: runs at > 30 frames per second on low settings",
        ],
        "recommended" => &[
            "OS: 64-bit, 2019 or later; Processor: {processor}; Memory: {memory} GB; Graphics: \
             {graphics}; Network: broadband; Storage: {number} GB (SSD); Sound: any; Notes: runs at \
             > 60 frames per second & in full resolution",
        ],
        _ => &[],
    }
}

/// The kinds of games.
pub const KINDS: [&str; 3] = ["app", "bundle", "sub"];

/// The tags that players give.
pub const TAGS: [&str; 28] = [
    "Adventure",
    "Atmospheric",
    "Base Building",
    "Beat 'em up",
    "Board Game",
    "Card Game",
    "Choices Matter",
    "Co-op",
    "Crafting",
    "Cute",
    "Detective",
    "Difficult",
    "Exploration",
    "Farming Sim",
    "Funny",
    "Great Soundtrack",
    "Hack & Slash",
    "Indie",
    "Multiplayer",
    "Mystery",
    "Open World",
    "Pixel Graphics",
    "Puzzle",
    "Relaxing",
    "Roguelike",
    "Sandbox",
    "Story Rich",
    "Turn-Based",
];

/// The features of games.
pub const DETAILS: [&str; 12] = [
    "Single-player",
    "Multi-player",
    "Online Co-op",
    "Shared/Split Screen",
    "Achievements",
    "Trading Cards",
    "Cloud Saves",
    "Full controller support",
    "Captions available",
    "Level Editor",
    "Remote Play",
    "Leaderboards",
];

/// The languages of games.
pub const LANGUAGES: [&str; 16] = [
    "English",
    "Français",
    "Italiano",
    "Deutsch",
    "Español",
    "Português",
    "Polski",
    "Русский",
    "Türkçe",
    "Čeština",
    "Magyar",
    "Svenska",
    "日本語",
    "한국어",
    "简体中文",
    "Українська",
];

/// The genres of games.
pub const GENRES: [&str; 11] = [
    "Action",
    "Adventure",
    "Casual",
    "Indie",
    "Racing",
    "RPG",
    "Simulation",
    "Sports",
    "Strategy",
    "Early Access",
    "Massively Multiplayer",
];

/// Opinions from the worst to the best, each for an equally wide range of positive reviews.
pub const OPINIONS: [&str; 6] = [
    "Negative",
    "Mostly Negative",
    "Mixed",
    "Mostly Positive",
    "Very Positive",
    "Overwhelmingly Positive",
];

/// Typical prices in cents.
pub const PRICES: [u64; 13] = [
    0, 99, 199, 299, 499, 799, 999, 1499, 1999, 2499, 2999, 3999, 5999,
];
