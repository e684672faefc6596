//! Sizes of files and downloads for people.

use std::fmt;

/// Bytes in the unit that fits, in steps of a thousand: `0 B`, `711 kB`, `1.4 MB`, `34 MB`, `2.3 GB`. A number below
/// ten has one decimal. Width and alignment of the format string apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut value = self.0 as f64;
        let mut unit = "B";
        for larger in ["kB", "MB", "GB", "TB"] {
            // What would be rounded to a thousand is one of the next.
            if value < 999.5 {
                break;
            }
            (value, unit) = (value / 1e3, larger);
        }
        let digits = usize::from(unit != "B" && value < 9.95);
        f.pad(&format!("{value:.digits$} {unit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_fits() {
        let said = |bytes| Size(bytes).to_string();
        assert_eq!([said(0), said(1), said(999)], ["0 B", "1 B", "999 B"]);
        assert_eq!([said(1_000), said(9_949), said(9_951), said(711_400)], ["1.0 kB", "9.9 kB", "10 kB", "711 kB"]);
        assert_eq!([said(999_499), said(999_500)], ["999 kB", "1.0 MB"]);
        assert_eq!([said(33_600_000), said(2_271_064_456)], ["34 MB", "2.3 GB"]);
        assert_eq!(said(u64::MAX), "18446744 TB");
        assert_eq!(format!("{:>8}|{:8}|", Size(12), Size(12)), "    12 B|12 B    |");
    }
}
