//! Moments as text: RFC 3339, by a calendar of our own, since a date is all that is asked of one.

use std::time::SystemTime;

use serde::ser::{Serialize, Serializer};

/// A moment in RFC 3339, in UTC and with microseconds; what is before 1970 is its beginning.
pub(crate) struct Moment(pub(crate) SystemTime);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let since = self.0.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
        let (year, month, day) = civil(days);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let micros = since.subsec_micros();
        serializer.collect_str(&format_args!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z"
        ))
    }
}

/// The Gregorian date of a day, counted from 1970-01-01.
fn civil(days: u64) -> (u64, u64, u64) {
    // Years begin in March, so that the leap day is the last of its year; eras of 400 years are alike.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn text(value: impl Serialize) -> String {
        serde_json::to_string(&value).unwrap()
    }

    #[test]
    fn a_moment_is_a_date_of_the_calendar() {
        let at = |seconds: u64, micros| {
            text(Moment(
                SystemTime::UNIX_EPOCH
                    + Duration::from_secs(seconds)
                    + Duration::from_micros(micros),
            ))
        };
        assert_eq!(at(0, 0), r#""1970-01-01T00:00:00.000000Z""#);
        assert_eq!(at(951_827_696, 7), r#""2000-02-29T12:34:56.000007Z""#);
        assert_eq!(at(1_796_067_971, 123_456), r#""2026-11-30T19:46:11.123456Z""#);
        assert_eq!(at(4_107_542_399, 999_999), r#""2100-02-28T23:59:59.999999Z""#);
        assert_eq!(at(4_107_542_400, 0), r#""2100-03-01T00:00:00.000000Z""#);
        assert_eq!(at(253_402_300_799, 0), r#""9999-12-31T23:59:59.000000Z""#);
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(text(Moment(before)), r#""1970-01-01T00:00:00.000000Z""#);
    }

    #[test]
    fn every_day_follows_the_one_before_it() {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..200_000 {
            assert_eq!(civil(days), (year, month, day));
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + u64::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }
}
