//! Reckoning with dates, without a clock and without time zones.

use std::borrow::Cow;

use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, Unit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::ToolError;

/// Dates: `dates.add` and `dates.between`. Load it with [`Builder::toolset`](crate::Builder::toolset) or
/// [`Toolkit::load`](crate::Toolkit::load).
#[derive(Clone, Copy, Debug, Default)]
pub struct Dates;

#[toolkit_macros::toolset(domain = "dates", ceiling = "read", crate = crate)]
impl Dates {
    /// Compute the date that lies a span of time after another one, or before it, with its weekday.
    ///
    /// Use it for deadlines and appointments rather than reckoning yourself: it knows lengths of months and
    /// leap years. Not for the present day, which it doesn't know, nor for time zones.
    #[tool(risk = "read", title = "Date sum")]
    fn add(
        /// The date, with a time or without, e.g. `2026-01-31` or `2026-01-31T09:30`.
        #[arg(length = 1..=40)]
        date: &str,
        /// The span, e.g. `1 month 2 days`, `-90 minutes` or `P1Y2M`. A month after the 31st ends where the
        /// next month ends.
        #[arg(length = 1..=100)]
        span: &str,
    ) -> Result<String, ToolError> {
        let (start, timed) = read("date", date)?;
        let span: Span = span.parse().map_err(|_| {
            ToolError::expected(format!(
                "`span` is no span of time: {span:?}; write it like `1 month 2 days`, `-90 minutes` or `P1Y2M`"
            ))
        })?;
        let end = start.checked_add(span).map_err(|_| {
            ToolError::expected(
                "the new date is outside of the years -9999 to 9999; use a shorter span",
            )
        })?;
        Ok(written(end, timed || end.time() != start.time()))
    }

    /// Compute how much time lies between two dates: days, or years, months and weeks as well.
    ///
    /// Use it for ages, terms and days until a deadline. Negative where the second date comes first. Not for
    /// the present day, which it doesn't know.
    #[tool(risk = "read", title = "Date difference")]
    fn between(
        /// The first date, e.g. `2026-01-31` or `2026-01-31T09:30`.
        #[arg(length = 1..=40)]
        from: &str,
        /// The second date, e.g. `2026-12-24`.
        #[arg(length = 1..=40)]
        to: &str,
        /// The largest unit to tell in, e.g. `days`.
        #[arg(default = Largest::Days)]
        unit: Largest,
    ) -> Result<String, ToolError> {
        let ((from, _), (to, _)) = (read("from", from)?, read("to", to)?);
        let span = from.until((unit.unit(), to)).map_err(|_| {
            ToolError::expected("the dates are too far apart for this unit; use a larger one")
        })?;
        if span.is_zero() {
            return Ok("no time".to_owned());
        }
        Ok(format!("{span:#}"))
    }
}

/// The largest unit of a difference.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Largest {
    Years,
    Months,
    Weeks,
    Days,
    Hours,
    Minutes,
}

impl Largest {
    fn unit(self) -> Unit {
        match self {
            Self::Years => Unit::Year,
            Self::Months => Unit::Month,
            Self::Weeks => Unit::Week,
            Self::Days => Unit::Day,
            Self::Hours => Unit::Hour,
            Self::Minutes => Unit::Minute,
        }
    }
}

impl JsonSchema for Largest {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Largest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words = ["years", "months", "weeks", "days", "hours", "minutes"];
        json_schema!({"type": "string", "enum": words})
    }
}

/// A date of a call, and whether it has a time.
fn read(argument: &str, text: &str) -> Result<(DateTime, bool), ToolError> {
    let text = text.trim();
    if let Ok(date) = text.parse::<Date>()
        && !text.contains(['T', 't', ' '])
    {
        return Ok((date.to_datetime(Time::midnight()), false));
    }
    text.parse::<DateTime>().map(|moment| (moment, true)).map_err(|_| {
        ToolError::expected(format!(
            "`{argument}` is no date: {text:?}; write it like `2026-01-31` or `2026-01-31T09:30`, \
             without a time zone"
        ))
    })
}

fn written(moment: DateTime, timed: bool) -> String {
    let day = moment.strftime("%A");
    match timed {
        true => format!("{moment} ({day})"),
        false => format!("{} ({day})", moment.date()),
    }
}
