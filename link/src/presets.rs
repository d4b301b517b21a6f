//! The named networks. The sources of their figures: docs/guides/network-conditions.md.

use serde::Serialize;

use crate::conditions::Conditions;

/// A named network.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Preset {
    pub name: &'static str,
    pub down: Conditions,
    pub up: Conditions,
}

const MS: u64 = 1_000_000;
const MBIT: u64 = 1_000_000;
const KB: u64 = 1_000;

/// All named networks.
pub const PRESETS: [Preset; 5] = [
    both("loopback", Conditions::NOTHING),
    both("lan", conditions(MS / 10, 0, 1000 * MBIT, 500 * KB, 0.0)),
    Preset {
        name: "wifi",
        down: conditions(MS, MS, 30 * MBIT, 375 * KB, 0.0),
        up: conditions(MS, MS, 15 * MBIT, 190 * KB, 0.0),
    },
    Preset {
        name: "mobile",
        down: conditions(35 * MS, 5 * MS, 12 * MBIT, 300 * KB, 0.002),
        up: conditions(35 * MS, 15 * MS, 12 * MBIT, 300 * KB, 0.002),
    },
    both("far", conditions(45 * MS, 0, 100 * MBIT, 1250 * KB, 0.0)),
];

impl Preset {
    /// Finds a network by its name; the error lists all names.
    pub fn find(name: &str) -> Result<Self, String> {
        PRESETS
            .into_iter()
            .find(|it| it.name == name)
            .ok_or_else(|| {
                let names: Vec<&str> = PRESETS.iter().map(|it| it.name).collect();
                format!("unknown network; expected one of {}", names.join(", "))
            })
    }
}

const fn both(name: &'static str, conditions: Conditions) -> Preset {
    Preset {
        name,
        down: conditions,
        up: conditions,
    }
}

const fn conditions(
    delay_ns: u64,
    jitter_ns: u64,
    rate_bit_s: u64,
    queue_bytes: u64,
    loss: f64,
) -> Conditions {
    Conditions {
        delay_ns,
        jitter_ns,
        rate_bit_s,
        queue_bytes,
        loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_found_by_its_name() {
        assert_eq!(Preset::find("wifi").unwrap().down.rate_bit_s, 30_000_000);
        assert_eq!(
            Preset::find("wlan").unwrap_err(),
            "unknown network; expected one of loopback, lan, wifi, mobile, far"
        );
    }
}
