//! The schema as SQL for PostgreSQL, MySQL and MariaDB.

use super::tables::{Column, Kind, Table};

/// The columns of a table, as in CREATE TABLE.
pub fn columns(table: Table) -> Vec<String> {
    let columns = table.columns().iter();
    columns
        .map(|it| format!("{} {}", it.name, kind(it)))
        .collect()
}

/// The primary key of a table, as in CREATE TABLE.
fn primary_key(table: Table) -> String {
    let names: Vec<&str> = table.key().iter().map(|it| it.name).collect();
    format!("PRIMARY KEY ({})", names.join(", "))
}

/// The foreign keys of a table to others, all of which precede it in `Table::ALL`.
fn foreign_keys(table: Table) -> Vec<String> {
    let referring = table.columns().iter().zip(0..);
    referring
        .filter_map(|(column, place)| {
            let target = column.references?;
            // The columns of the key cannot become NULL.
            let action = if place < table.key().len() {
                ""
            } else {
                " ON DELETE SET NULL"
            };
            let (name, target, key) = (column.name, target.name(), target.key()[0].name);
            Some(format!(
                "FOREIGN KEY ({name}) REFERENCES {target} ({key}){action}"
            ))
        })
        .collect()
}

fn kind(column: &Column) -> String {
    match column.kind {
        Kind::Number => "integer".to_owned(),
        Kind::Text(width) => format!("varchar({width})"),
    }
}

/// PostgreSQL: tables are filled first, which is faster, and get their keys afterwards, all in one
/// transaction.
pub mod postgresql {
    use super::{Table, columns, foreign_keys, primary_key};

    /// The CREATE TABLE statement of a table, without keys.
    pub fn create_table(table: Table) -> String {
        let columns = columns(table).join(",\n  ");
        format!("CREATE TABLE {} (\n  {columns}\n)", table.name())
    }

    /// The statements after the last row.
    pub fn finish() -> Vec<String> {
        let alter = |table: Table, what: &[String]| {
            let additions: Vec<String> = what.iter().map(|it| format!("ADD {it}")).collect();
            format!(
                "ALTER TABLE {}\n  {}",
                table.name(),
                additions.join(",\n  ")
            )
        };
        let keys = Table::ALL.map(|table| alter(table, &[primary_key(table)]));
        let references = Table::ALL.into_iter().filter_map(|table| {
            let references = foreign_keys(table);
            (!references.is_empty()).then(|| alter(table, &references))
        });
        keys.into_iter().chain(references).collect()
    }
}

/// MySQL and MariaDB: every statement on a table commits, so tables get their keys at once, and
/// only the rows are in one transaction.
pub mod mysql {
    use super::{Table, columns, foreign_keys, primary_key};

    /// The statements before the first row: rows may refer to later ones.
    pub const BEGIN: [&str; 3] = [
        "SET foreign_key_checks = 0",
        "SET unique_checks = 0",
        "START TRANSACTION",
    ];

    /// The CREATE TABLE statement of a table, with keys.
    pub fn create_table(table: Table) -> String {
        let lines = [
            columns(table),
            vec![primary_key(table)],
            foreign_keys(table),
        ]
        .concat();
        // Words are compared byte by byte, like the benchmark's string criteria.
        format!(
            "CREATE TABLE {} (\n  {}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
            table.name(),
            lines.join(",\n  ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_refer_to_earlier_tables() {
        for (place, table) in Table::ALL.into_iter().enumerate() {
            let targets = table.columns().iter().filter_map(|it| it.references);
            assert!(targets.into_iter().all(|it| (it as usize) < place));
        }
    }

    #[test]
    fn only_references_outside_a_key_become_null() {
        assert_eq!(
            postgresql::create_table(Table::Professor),
            "CREATE TABLE professor (\n  nr integer,\n  professorType varchar(100),\n  \
             researchInterest varchar(100),\n  headOf integer\n)"
        );
        assert_eq!(
            foreign_keys(Table::Professor),
            [
                "FOREIGN KEY (nr) REFERENCES faculty (nr)",
                "FOREIGN KEY (headOf) REFERENCES department (nr) ON DELETE SET NULL",
            ]
        );
        assert_eq!(
            primary_key(Table::CoAuthorOfPublication),
            "PRIMARY KEY (publicationID, graduateStudentID)"
        );
    }
}
