//! Moments as people write them: RFC 3339 in UTC. Between days and dates: H. Hinnant, "chrono-Compatible Low-Level Date
//! Algorithms", `civil_from_days` and `days_from_civil`.

const DAY_SECONDS: i64 = 86_400;
/// From 0000-03-01, where the algorithms begin, to 1970-01-01.
const SHIFT_DAYS: i64 = 719_468;
const ERA_DAYS: i64 = 146_097;

/// A moment in milliseconds since 1970 as `2026-11-22T12:00:00Z`, to the second.
pub fn timestamp(ms: i64) -> String {
    let seconds = ms.div_euclid(1000);
    let (days, of_day) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
    let shifted = days + SHIFT_DAYS;
    let (era, day_of_era) = (shifted.div_euclid(ERA_DAYS), shifted.rem_euclid(ERA_DAYS));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Milliseconds since 1970 of `2026-11-22`, `2026-11-22T12:00Z` or `2026-11-22T12:00:00Z`; `None` for anything else,
/// also for a date that does not exist.
pub fn parse_timestamp(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, time.strip_suffix('Z')?),
        None => (text, "00:00:00"),
    };
    let number = |part: &str, digits: usize| {
        let plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse::<i64>().ok()).flatten()
    };
    let mut parts = date.split('-');
    let (year, month, day) = (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let mut parts_of_time = time.split(':');
    let (hour, minute) = (number(parts_of_time.next()?, 2)?, number(parts_of_time.next()?, 2)?);
    let second = parts_of_time.next().map_or(Some(0), |part| number(part, 2))?;
    if parts.next().is_some() || parts_of_time.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let year_from_march = year - i64::from(month <= 2);
    let (era, year_of_era) = (year_from_march.div_euclid(400), year_from_march.rem_euclid(400));
    let from_march = (month + 9) % 12;
    let day_of_year = (153 * from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * ERA_DAYS + day_of_era - SHIFT_DAYS;
    let ms = (days * DAY_SECONDS + hour * 3600 + minute * 60 + second) * 1000;
    // The 31st of a shorter month comes out as another day.
    timestamp(ms).starts_with(date).then_some(ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_are_dates() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_000, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_795_348_800_000, "2026-11-22T12:00:00Z"),
            (-1000, "1969-12-31T23:59:59Z"),
        ];
        for (ms, date) in cases {
            assert_eq!((timestamp(ms).as_str(), parse_timestamp(date)), (date, Some(ms)));
        }
        assert_eq!(parse_timestamp("2026-11-22"), Some(1_795_305_600_000));
        assert_eq!(parse_timestamp("2026-11-22T12:00Z"), Some(1_795_348_800_000));
        for wrong in [
            "",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "26-11-22",
            "2026-11-22T12:00",
            "2026-11-22T24:00Z",
            "2026-1-+1",
            "2026-11-22-1",
        ] {
            assert_eq!(parse_timestamp(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(seconds in -62_135_596_800i64..253_402_300_799) {
            prop_assert_eq!(parse_timestamp(&timestamp(seconds * 1000)), Some(seconds * 1000));
        }
    }
}
