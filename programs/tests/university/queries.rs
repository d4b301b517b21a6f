//! Instances of the templates, in workloads.

use std::collections::HashSet;

use serde_json::Value;

use crate::harness::{folder, refusal, run, text};

/// The queries, and the messages.
fn queries(options: &[&str]) -> (Vec<Value>, String) {
    let scale = ["university-queries", "--scale-factor", "1"];
    let output = run(&[scale.as_slice(), options].concat(), &std::env::temp_dir());
    let printed = text(&output.stderr);
    assert!(output.status.success(), "{printed}");
    let lines = text(&output.stdout);
    let parsed = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    (parsed.collect(), printed)
}

fn ids(queries: &[Value]) -> Vec<&str> {
    queries
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect()
}

#[test]
fn a_query_has_its_template_its_parameters_and_its_text() {
    let (queries, output) = queries(&["--templates", "QT7,8", "--instances", "2"]);

    assert_eq!(output, "");
    assert_eq!(ids(&queries), ["QT7/1", "QT7/2", "QT8/1", "QT8/2"]);
    let paged = &queries[1];
    assert_eq!(paged["template"], "QT7");
    assert_eq!(paged["instance"], 2);
    assert_eq!(
        paged["parameters"].to_string(),
        r#"{"offset":26,"universityID":408}"#
    );
    let query = paged["query"].as_str().unwrap();
    assert!(query.contains("university(nr: 408)") && query.contains("(limit: 10, offset: 26)"));
    let ordered = &queries[2];
    assert_eq!(
        ordered["parameters"].to_string(),
        r#"{"attrGStudent1":"emailAddress","attrGStudent2":"advisor","cnt":626}"#
    );
    let query = ordered["query"].as_str().unwrap();
    assert!(
        query.contains("(limit: 626, order: [emailAddress, advisor])"),
        "{query}"
    );
}

#[test]
fn each_template_has_twenty_queries_if_that_many_exist() {
    let (queries, output) = queries(&[]);

    assert_eq!(queries.len(), 15 * 20 + 15);
    assert_eq!(output, "wirelab-data: QT5 has 15 instances, not 20\n");
    assert_eq!(
        ids(&queries).iter().collect::<HashSet<_>>().len(),
        queries.len()
    );
    let texts: HashSet<&str> = queries
        .iter()
        .map(|it| it["query"].as_str().unwrap())
        .collect();
    // Some templates agree in all but their shape, so no text comes twice either.
    assert_eq!(texts.len(), queries.len());
}

#[test]
fn a_workload_is_mixed_weighted_or_for_a_choke_point() {
    let (mixed, _) = queries(&["--instances", "10", "--order", "shuffled"]);
    let (again, _) = queries(&[
        "--instances",
        "10",
        "--order",
        "shuffled",
        "--order-seed",
        "1",
    ]);
    let (other, _) = queries(&[
        "--instances",
        "10",
        "--order",
        "shuffled",
        "--order-seed",
        "2",
    ]);
    let (plain, _) = queries(&["--instances", "10"]);
    assert_eq!(mixed, again);
    assert_ne!(mixed, other);
    let sorted = |list: &[Value]| {
        let mut ids = ids(list)
            .iter()
            .map(|it| it.to_string())
            .collect::<Vec<_>>();
        ids.sort();
        ids
    };
    assert_eq!(mixed.len(), 160);
    assert!(sorted(&mixed) == sorted(&other) && sorted(&mixed) == sorted(&plain));

    let (weighted, _) = queries(&["--templates", "9=3,1", "--instances", "5"]);
    assert_eq!(weighted.len(), 5 + 15);
    assert_eq!(ids(&weighted)[0], "QT1/1");
    assert_eq!(ids(&weighted)[19], "QT9/15");

    let (paging, _) = queries(&["--choke-points", "3.2,5.1", "--instances", "1"]);
    assert_eq!(ids(&paging), ["QT7/1", "QT16/1"]);

    let round = [
        "--templates",
        "2,6",
        "--instances",
        "2",
        "--order",
        "round-robin",
    ];
    assert_eq!(
        ids(&queries(&round).0),
        ["QT2/1", "QT6/1", "QT2/2", "QT6/2"]
    );
}

#[test]
fn instances_are_counted_in_three_ways() {
    let (counts, _) = queries(&["--count", "--templates", "10,13,14"]);

    let lines: Vec<String> = counts.iter().map(Value::to_string).collect();
    assert_eq!(
        lines,
        [
            r#"{"distinct":23402,"original":23402,"paper":27077,"template":"QT10"}"#,
            r#"{"distinct":871310,"original":871310,"paper":899701,"template":"QT13"}"#,
            r#"{"distinct":6970480,"original":6099170,"paper":6297907,"template":"QT14"}"#,
        ]
    );
}

#[test]
fn unknown_templates_and_choke_points_are_refused() {
    let folder = folder("queries");
    let options = ["university-queries", "--scale-factor", "1"];
    for (option, value, expected) in [
        ("--templates", "17", "a template from 1 to 16"),
        ("--templates", "QT0", "a template from 1 to 16"),
        ("--templates", "5=0", "or with a weight 5=3"),
        ("--choke-points", "2.6", "expected one of 1.1, 2.1, 2.2"),
    ] {
        let output = refusal(&[options.as_slice(), &[option, value]].concat(), &folder, 2);
        assert!(
            output.contains(value) && output.contains(expected),
            "{output}"
        );
    }
}
