//! Values of options as people write them.

use serde_json::{Value, json};

pub fn rate(text: &str) -> Result<f64, String> {
    let rate = text
        .parse()
        .ok()
        .filter(|&rate: &f64| rate > 0.0 && rate.is_finite());
    rate.ok_or_else(|| "expected transactions a second, such as 5000".into())
}

pub fn precision(text: &str) -> Result<(String, f64), String> {
    let wanted = "a figure and a share, such as mean=2% or p99=5%";
    let (of, share) = text.split_once('=').ok_or(wanted)?;
    let share = share.strip_suffix('%').ok_or(wanted)?;
    let share: f64 = share.trim().parse().map_err(|_| wanted)?;
    Ok((of.trim().into(), share / 100.0))
}

pub fn header(text: &str) -> Result<Value, String> {
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| format!("--header {text:?}: no colon; expected 'name: value'"))?;
    Ok(json!([name.trim(), value.trim()]))
}

pub fn margin(text: &str) -> Result<f64, String> {
    let wanted = "expected a share such as 5% or 2.5%, at most 100%";
    let share = text.strip_suffix('%').ok_or(wanted)?;
    let percent: f64 = share.trim().parse().map_err(|_| wanted)?;
    let is_possible = percent > 0.0 && percent <= 100.0;
    is_possible
        .then_some(percent / 100.0)
        .ok_or_else(|| wanted.into())
}
