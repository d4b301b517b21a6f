//! The defaults that the reference of the job states are those that the engine takes.

use serde_json::{Value, json};

use super::super::{command, parse};

const REFERENCE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../docs/reference/engine-job.md"
);

/// A section of the reference, where its keys belong, and how a job comes to have that place.
type Place = (&'static str, &'static str, fn(&mut Value));

const PLACES: &[Place] = &[
    ("job.json", "", |_| {}),
    ("`targets[]`", "/targets/0", |_| {}),
    ("Common keys", "/targets/0", |_| {}),
    (
        "`targets[].transactions[]`",
        "/targets/0/transactions/0",
        |_| {},
    ),
    ("`targets[].requests[]`", "/targets/0/requests/0", |_| {}),
    (
        "`targets[].requests[].expect`",
        "/targets/0/requests/0/expect",
        |job| {
            job["targets"][0]["requests"][0]["expect"] = json!({});
        },
    ),
    (
        "`targets[].requests[].stream`",
        "/targets/0/requests/0/stream",
        |job| {
            job["targets"][0]["transport"] = "grpc".into();
            job["targets"][0]["requests"][0]["stream"] = json!({});
        },
    ),
    ("`subscribe`", "/targets/0/subscribe", |job| {
        job["targets"][0]["transport"] = "websocket".into();
        job["targets"][0]["subscribe"] = json!({});
    }),
    ("`tls`", "/targets/0/tls", |job| {
        // The certificates that the system trusts are none of this test's business.
        job["targets"][0]["tls"] = json!({ "insecure": true });
    }),
    ("`targets[].connections`", "/targets/0/connections", |job| {
        job["targets"][0]["connections"] = json!({});
    }),
    (
        "`targets[].pacer` `kind: \"closed\"`",
        "/targets/0/pacer",
        |job| {
            job["targets"][0]["pacer"] = json!({ "kind": "closed" });
        },
    ),
    (
        "`targets[].pacer` `kind: \"poisson\"`",
        "/targets/0/pacer",
        |job| {
            job["seed"] = 7.into();
            job["targets"][0]["pacer"] = json!({ "kind": "poisson", "rate_per_s": 10 });
        },
    ),
    (
        "`targets[].order` `kind: \"shuffle\"`",
        "/targets/0/order",
        |job| {
            job["seed"] = 7.into();
            job["targets"][0]["order"] = json!({ "kind": "shuffle" });
        },
    ),
    ("`warm_up`", "/warm_up", |job| job["warm_up"] = json!({})),
    ("`stop.precision`", "/stop/precision", |job| {
        job["stop"]["precision"] = json!({ "half_width": 0.1 });
    }),
    ("`slices`", "/slices", |job| {
        job.as_object_mut().unwrap().remove("stop");
        job["slices"] = json!({ "permutations": [[0]], "stop": { "seconds": 1 } });
    }),
    ("`slices` of a command", "/slices/0", |command| {
        let slice = json!({ "target": 0, "stop": { "seconds": 1 } });
        *command = json!({ "command": "slices", "slices": [slice] });
    }),
];

fn smallest_job() -> Value {
    json!({
        "format": "wirelab-job/2", "output": "out", "stop": { "seconds": 1 },
        "targets": [{
            "name": "a", "transport": "http1", "address": "127.0.0.1:80", "requests": [{}],
            "transactions": [{ "operation": "x", "rounds": [[0]] }],
        }],
    })
}

/// What the engine reads: a job, or a command.
fn read(value: &Value) -> String {
    let text = value.to_string();
    if value["command"].is_null() {
        return format!("{:?}", parse(&text).unwrap());
    }
    let targets = parse(&smallest_job().to_string()).unwrap().targets;
    format!("{:?}", command::parse(&text, &targets).unwrap())
}

/// Section, key and default of every key that has one, in the order of the reference.
fn documented() -> Vec<(String, String, Value)> {
    let mut section = "";
    let mut found = Vec::new();
    let text = std::fs::read_to_string(REFERENCE).unwrap();
    for line in text.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let cells: Vec<_> = line.split(" | ").collect();
        let key = cells[0]
            .strip_prefix("| `")
            .and_then(|it| it.strip_suffix('`'));
        let default = cells.get(2).and_then(|it| it.strip_prefix('`'));
        if let (Some(key), Some(default)) = (key, default) {
            let default = default.trim_end_matches('`');
            if default != "none" {
                found.push((section.into(), key.into(), as_json(default)));
            }
        }
    }
    found
}

fn as_json(default: &str) -> Value {
    match default {
        "True" => true.into(),
        "False" => false.into(),
        "b''" => "".into(),
        other => serde_json::from_str(&other.replace('\'', "\"")).unwrap(),
    }
}

#[test]
fn documented_defaults_are_those_of_the_engine() {
    let documented = documented();
    assert!(documented.len() > 40, "{documented:?}");
    for (section, key, default) in documented {
        let place = PLACES.iter().find(|(name, ..)| *name == section);
        let Some((_, pointer, make)) = place else {
            panic!("{section}.{key} has a default that this test does not check");
        };
        let mut value = smallest_job();
        make(&mut value);
        let without = read(&value);
        let keys = value.pointer_mut(pointer).unwrap();
        if keys[&key].is_null() {
            keys[&key] = default;
            assert_eq!(read(&value), without, "{section}.{key}");
        }
    }
}
