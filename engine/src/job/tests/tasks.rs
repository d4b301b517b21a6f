//! What is to be done with which targets, and whose time is counted.

use super::*;

/// The good job with another stop rule, or something in its path.
fn with_task(task: &str) -> Result<Job, Vec<String>> {
    parse(&GOOD.replace(r#""stop": { "seconds": 5 }"#, task))
}

#[test]
fn a_job_has_exactly_one_task() {
    let list = r#""slices": { "permutations": [[0], [0, 0]], "stop": { "seconds": 0.05 },
                             "guard_us": 5000 }"#;
    let job = with_task(list).unwrap();
    let Task::Slices { permutations, .. } = &job.task else {
        panic!("{:?}", job.task)
    };
    assert_eq!(permutations.orders, [vec![0], vec![0, 0]]);
    assert_eq!(permutations.guard_ns, 5_000_000);
    let warm_up = r#""warm_up": { "transactions": 5, "seconds": 0.5 },"#;
    let commanded = GOOD
        .replace(warm_up, "")
        .replace(r#""stop": { "seconds": 5 }"#, r#""control": true"#);
    assert!(matches!(parse(&commanded).unwrap().task, Task::Commands));

    let problems = with_task(r#""control": true"#).unwrap_err();
    assert!(problems[0].starts_with("warm_up: given"), "{problems:?}");
    for task in [
        r#""samples": true"#.to_string(),
        format!(r#""stop": {{ "seconds": 5 }}, {list}"#),
    ] {
        let problems = with_task(&task).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("exactly one of"), "{problems:?}");
    }
}

#[test]
fn slices_in_a_list_are_of_known_targets() {
    for (list, path) in [
        (
            r#"{ "permutations": [[1]], "stop": { "seconds": 1 } }"#,
            "slices.permutations[0]: [1]",
        ),
        (
            r#"{ "permutations": [[]], "stop": { "seconds": 1 } }"#,
            "slices.permutations[0]: []",
        ),
        (
            r#"{ "permutations": [[0]] }"#,
            "slices.stop: has no condition",
        ),
        (
            r#"{ "permutations": [[0]], "stop": { "seconds": 1 }, "guard_us": -1 }"#,
            "slices.guard_us: -1",
        ),
    ] {
        let problems = with_task(&format!(r#""slices": {list}"#)).unwrap_err();
        assert!(problems[0].starts_with(path), "{problems:?}");
    }
}

#[test]
fn targets_and_roles_have_unique_names() {
    let start = GOOD.find("[{").unwrap() + 1;
    let end = GOOD.find("\n    }],").unwrap() + 6;
    let target = &GOOD[start..end];
    let twice = GOOD.replace(target, &format!("{target}, {target}"));
    let problems = parse(&twice).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("targets[1].name: \"rest\", which is another"));
    let shared = GOOD.replace(r#""store": {"#, r#""proxy": {"#);
    let problems = parse(&shared).unwrap_err();
    assert!(
        problems[0].starts_with("targets[0].roles.proxy"),
        "{problems:?}"
    );
    let none = GOOD.replace(target, "");
    assert!(parse(&none).unwrap_err()[0].starts_with("targets: none"));
}

#[test]
fn roles_are_processes_or_groups() {
    for (role, path) in [
        (
            "{}",
            "targets[0].roles.contender: neither or both of pid and cgroup",
        ),
        (
            r#"{ "pid": 1, "cgroup": "/x/cpu.stat" }"#,
            "targets[0].roles.contender: neither or both of pid and cgroup",
        ),
        (r#"{ "pid": 0 }"#, "targets[0].roles.contender.pid: 0"),
        (
            r#"{ "cgroup": "/x/memory.stat" }"#,
            "targets[0].roles.contender.cgroup",
        ),
        ("5", "targets[0].roles.contender: 5"),
    ] {
        let problems = parse(&GOOD.replace(r#"{ "pid": 123 }"#, role)).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with(path), "{problems:?}");
    }
}
