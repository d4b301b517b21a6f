//! The result as a table for other programs (`--output csv`).

use csv::Writer;

use crate::compare::Comparison;
use crate::result::{ItemsOfStreams, OperationRow, RunResult, Summary, TargetResult};

/// A line for all transactions, and one per operation if there are several; items of streams are
/// counted for all transactions together.
pub fn result(result: &RunResult) -> String {
    let columns = [
        "operation",
        "transactions",
        "failed",
        "rate_per_s",
        "mean_us",
        "sd_us",
        "min_us",
        "p50_us",
        "p90_us",
        "p95_us",
        "p99_us",
        "p999_us",
        "max_us",
        "items",
        "first_item_p50_us",
        "first_item_p99_us",
        "gap_p50_us",
        "gap_p99_us",
        "stalls",
    ];
    let mut lines = vec![columns.map(String::from).to_vec()];
    for target in result.targets() {
        lines.push([line(&whole(target)), items(target.items.as_ref())].concat());
        let of_operations = target.operations.iter();
        lines.extend(of_operations.map(|it| [line(it), items(None)].concat()));
    }
    write(lines)
}

fn whole(target: &TargetResult) -> OperationRow {
    OperationRow {
        name: "(all)".into(),
        transactions: target.counts.transactions,
        failed: target.counts.failed,
        errors: target.counts.errors.clone(),
        throughput_per_s: target.throughput_per_s,
        response_us: target.latency_us.response,
    }
}

fn items(of: Option<&ItemsOfStreams>) -> Vec<String> {
    let Some(items) = of else {
        return vec![String::new(); 6];
    };
    let (first, gap) = (&items.first_us, &items.gap_us);
    vec![
        items.received.to_string(),
        time(first, first.p50),
        time(first, first.p99),
        time(gap, gap.p50),
        time(gap, gap.p99),
        items.stalls.to_string(),
    ]
}

fn line(of: &OperationRow) -> Vec<String> {
    let times = &of.response_us;
    let figures = [
        times.mean, times.sd, times.min, times.p50, times.p90, times.p95, times.p99, times.p999,
        times.max,
    ];
    let mut line = vec![
        of.name.clone(),
        of.transactions.to_string(),
        of.failed.to_string(),
    ];
    line.push(format!("{:.3}", of.throughput_per_s));
    line.extend(figures.iter().map(|&figure| time(times, figure)));
    line
}

/// A figure of a distribution, which an empty one does not have.
fn time(of: &Summary, figure: f64) -> String {
    match of.count {
        0 => String::new(),
        _ => format!("{figure:.3}"),
    }
}

/// A line per server.
pub fn comparison(comparison: &Comparison) -> String {
    let columns = [
        "server",
        "url",
        "transactions",
        "failed",
        "typical_us",
        "mean_us",
        "ratio",
        "ratio_low",
        "ratio_high",
        "verdict",
    ];
    let mut lines = vec![columns.map(String::from).to_vec()];
    lines.extend(comparison.rows());
    write(lines)
}

fn write(lines: Vec<Vec<String>>) -> String {
    let mut writer = Writer::from_writer(Vec::new());
    // Writing into memory cannot fail, and all lines have the same number of fields.
    for line in lines {
        let _ = writer.write_record(line);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end().into()
}
