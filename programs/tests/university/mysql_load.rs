//! Loading into MySQL or MariaDB, if the environment names one.

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::harness::{TABLES, address, folder, refusal, universities};

/// The address of an empty database, such as mysql://user:password@host:port/database.
const URL_VARIABLE: &str = "WIRELAB_TEST_MYSQL_URL";

#[test]
fn all_rows_arrive_and_no_table_is_loaded_twice() {
    let Ok(url) = std::env::var(URL_VARIABLE) else {
        eprintln!("skipped: {URL_VARIABLE} does not name an empty database");
        return;
    };
    let folder = folder("mysql");
    let address = address(&url, &folder);
    let scale = ["--scale-factor", "1", "--load", &address];
    universities(&scale, &folder);

    let mut connection = Conn::new(url.as_str()).unwrap();
    let query = "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()";
    let tables: Vec<String> = connection.query(query).unwrap();
    assert_eq!(tables.len(), TABLES.len());
    for table in &tables {
        let counted = format!("SELECT COUNT(*) FROM {table}");
        let rows: usize = connection.query_first(counted).unwrap().unwrap();
        let known = TABLES.iter().find(|it| it.0 == table.to_lowercase());
        assert_eq!(rows, known.unwrap().1, "{table}");
    }
    let heads = "SELECT COUNT(*) FROM professor p JOIN department d ON p.headOf = d.nr";
    assert_eq!(connection.query_first(heads).unwrap(), Some(15));

    let output = refusal(&[["university"].as_slice(), &scale].concat(), &folder, 2);
    assert!(
        output.contains("already has tables: coAuthorOfPublication, department"),
        "{output}"
    );

    connection.query_drop("SET foreign_key_checks = 0").unwrap();
    for table in tables {
        connection
            .query_drop(format!("DROP TABLE {table}"))
            .unwrap();
    }
}
