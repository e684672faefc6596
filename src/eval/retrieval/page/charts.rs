//! The four charts: quality with its intervals, risk against coverage, times, and scores of right and wrong answers.

use super::super::result::{RunResult, quantile};
use super::super::significance::{bootstrap, mean};
use super::super::silence::risk_coverage;
use super::colour;
use super::drawing::{Anchor, Drawing};

/// Bars of a histogram.
const BINS: usize = 25;

/// Questions below which a share says nothing.
const LEAST_QUESTIONS: f64 = 10.0;

/// A metric of every run, set by set, as bars with their 95 % intervals.
pub(super) fn quality(sets: &[(&str, Vec<&RunResult>)], metric: &str, runs: &[&str]) -> String {
    const LEFT: f64 = 120.0;
    const WIDTH: f64 = 1000.0;
    const BAR: f64 = 15.0;
    let rows: usize = sets.iter().map(|(_, results)| results.len()).sum();
    let height = 12.0 + rows as f64 * (BAR + 3.0) + sets.len() as f64 * 14.0 + 24.0;
    let mut out = Drawing::new(WIDTH, height, &format!("{metric} by set and run"));
    let at = |value: f64| LEFT + value * (WIDTH - LEFT - 60.0);
    for tick in 0..=5 {
        let value = f64::from(tick) / 5.0;
        out.line(if tick == 0 { "axis" } else { "grid" }, (at(value), 6.0), (at(value), height - 22.0));
        out.word("tick", (at(value), height - 6.0), Anchor::Middle, &format!("{value:.1}"));
    }
    let mut y = 12.0;
    for (set, results) in sets {
        let middle = y + results.len() as f64 * (BAR + 3.0) / 2.0 + 3.0;
        out.word("name", (LEFT - 10.0, middle), Anchor::End, set);
        for result in results {
            let values = result.values(metric).unwrap_or_default();
            let (value, interval) = (mean(&values), bootstrap(&values));
            let says = format!(
                "{set}, {}: {metric} {value:.4}, 95 % [{:.4}, {:.4}], {} questions",
                result.run,
                interval.low,
                interval.high,
                values.len()
            );
            out.bar(&colour(runs, &result.run), (at(0.0), y), (at(value) - at(0.0), BAR), &says);
            let line = y + BAR / 2.0;
            out.line("whisker", (at(interval.low), line), (at(interval.high), line));
            for end in [interval.low, interval.high] {
                out.line("whisker", (at(end), line - 3.5), (at(end), line + 3.5));
            }
            out.word("tick", (at(interval.high) + 6.0, line + 4.0), Anchor::Start, &format!("{value:.3}"));
            y += BAR + 3.0;
        }
        y += 14.0;
    }
    out.finish()
}

/// How many first hits are wrong if only the surest questions are answered.
pub(super) fn risk(results: &[&RunResult], runs: &[&str]) -> String {
    const SIZE: (f64, f64) = (480.0, 270.0);
    const LEFT: f64 = 44.0;
    let curve = |result: &RunResult| {
        let least = LEAST_QUESTIONS / result.queries.len().max(1) as f64;
        let mut curve = risk_coverage(&result.outcomes());
        curve.retain(|point| point.coverage >= least.min(1.0));
        curve
    };
    let curves: Vec<_> = results.iter().map(|result| (result, curve(result))).collect();
    let worst = curves.iter().flat_map(|(_, curve)| curve).map(|point| point.risk).fold(0.05, f64::max);
    let top = (worst * 10.0).ceil() / 10.0;
    let x = |coverage: f64| LEFT + coverage * (SIZE.0 - LEFT - 24.0);
    let y = |risk: f64| SIZE.1 - 36.0 - risk / top * (SIZE.1 - 50.0);
    let mut out = Drawing::new(SIZE.0, SIZE.1, "share of wrong first hits by share of questions answered");
    for tick in 0..=5 {
        let share = f64::from(tick) / 5.0;
        out.line(if tick == 0 { "axis" } else { "grid" }, (x(0.0), y(share * top)), (x(1.0), y(share * top)));
        out.word("tick", (LEFT - 6.0, y(share * top) + 4.0), Anchor::End, &format!("{:.0} %", 100.0 * share * top));
        out.word("tick", (x(share), SIZE.1 - 20.0), Anchor::Middle, &format!("{:.0} %", 100.0 * share));
    }
    out.word("tick", (x(0.5), SIZE.1 - 4.0), Anchor::Middle, "questions answered, the surest first");
    for (result, curve) in curves {
        let points: Vec<(f64, f64)> = curve.iter().map(|point| (x(point.coverage), y(point.risk))).collect();
        out.path(&colour(runs, &result.run), &points, &result.run);
        // Where the gate is.
        if let Some(point) = curve.iter().rev().find(|point| point.threshold >= result.gate) {
            let says = format!(
                "{} at its gate: {:.1} % answered, {:.1} % of them wrong first",
                result.run,
                100.0 * point.coverage,
                100.0 * point.risk
            );
            out.dot(&colour(runs, &result.run), (x(point.coverage), y(point.risk)), &says);
        }
    }
    out.finish()
}

/// Times of the questions on a logarithmic axis: from the fastest twentieth to the slowest, the middle half, the
/// middle.
pub(super) fn times(results: &[&RunResult], runs: &[&str]) -> String {
    const WIDTH: f64 = 480.0;
    const LEFT: f64 = 92.0;
    const ROW: f64 = 40.0;
    let height = 20.0 + results.len() as f64 * ROW + 34.0;
    let all: Vec<Vec<f64>> = results.iter().map(|result| result.times()).collect();
    let least = all.iter().map(|times| quantile(times, 0.05)).fold(f64::INFINITY, f64::min).max(1e-3);
    let most = all.iter().map(|times| quantile(times, 0.99)).fold(least, f64::max);
    let (low, high) = (least.log10().floor(), most.log10().ceil().max(least.log10().floor() + 1.0));
    let x = |ms: f64| LEFT + (ms.max(1e-3).log10() - low) / (high - low) * (WIDTH - LEFT - 20.0);
    let mut out = Drawing::new(WIDTH, height, "time of a question in milliseconds");
    for decade in low as i32..=high as i32 {
        let ms = 10f64.powi(decade);
        out.line("grid", (x(ms), 8.0), (x(ms), height - 34.0));
        out.word("tick", (x(ms), height - 20.0), Anchor::Middle, &ms.to_string());
    }
    out.word("tick", (x(10f64.powf((low + high) / 2.0)), height - 4.0), Anchor::Middle, "milliseconds");
    for (at, (result, times)) in results.iter().zip(&all).enumerate() {
        let y = 30.0 + at as f64 * ROW;
        let ms = |share: f64| quantile(times, share);
        let says = format!(
            "{}: p50 {:.2} ms, p95 {:.2} ms, p99 {:.2} ms, slowest {:.2} ms",
            result.run,
            ms(0.5),
            ms(0.95),
            ms(0.99),
            ms(1.0)
        );
        let name = colour(runs, &result.run);
        out.word("name", (LEFT - 10.0, y + 4.0), Anchor::End, &result.run);
        out.line("whisker", (x(ms(0.05)), y), (x(ms(0.95)), y));
        out.bar(&name, (x(ms(0.25)), y - 7.0), ((x(ms(0.75)) - x(ms(0.25))).max(2.0), 14.0), &says);
        out.line("whisker", (x(ms(0.5)), y - 9.0), (x(ms(0.5)), y + 9.0));
        out.dot(&name, (x(ms(0.99)), y), &says);
        out.word("tick", (x(ms(0.5)), y - 12.0), Anchor::Middle, &format!("{:.2}", ms(0.5)));
    }
    out.finish()
}

/// Relevance of the best candidate of every question: right, wrong, and of questions that nothing answers.
pub(super) fn scores(result: &RunResult) -> String {
    const SIZE: (f64, f64) = (320.0, 150.0);
    let mut counts = [[0usize; BINS]; 3];
    for outcome in result.outcomes() {
        let bin = ((outcome.best * BINS as f64) as usize).min(BINS - 1);
        let kind = match (outcome.answerable, outcome.first_right) {
            (true, true) => 0,
            (true, false) => 1,
            (false, _) => 2,
        };
        counts[kind][bin] += 1;
    }
    let highest = (0..BINS).map(|bin| counts.iter().map(|kind| kind[bin]).sum()).max().unwrap_or(1).max(1);
    let (base, room) = (SIZE.1 - 22.0, SIZE.1 - 40.0);
    let x = |relevance: f64| 8.0 + relevance * (SIZE.0 - 16.0);
    let mut out = Drawing::new(SIZE.0, SIZE.1, &format!("relevance of the best hit, {}", result.run));
    let step = x(1.0 / BINS as f64) - x(0.0);
    let mut tops = [base; BINS];
    for (kind, (colour, name)) in
        counts.iter().zip([("--right", "right"), ("--wrong", "wrong"), ("--none", "unanswerable")])
    {
        for (bin, (count, y)) in kind.iter().zip(&mut tops).enumerate() {
            if *count > 0 {
                let tall = *count as f64 / highest as f64 * room;
                *y -= tall;
                let from = bin as f64 / BINS as f64;
                let says = format!("relevance {from:.2} to {:.2}: {count} {name}", from + 1.0 / BINS as f64);
                out.bar(colour, (x(from) + 1.0, *y), (step - 2.0, tall), &says);
            }
        }
    }
    out.line("axis", (x(0.0), base), (x(1.0), base));
    for tick in [0.0, 0.5, 1.0] {
        let anchor = if tick == 0.0 {
            Anchor::Start
        } else if tick == 1.0 {
            Anchor::End
        } else {
            Anchor::Middle
        };
        out.word("tick", (x(tick), base + 16.0), anchor, &format!("{tick}"));
    }
    if result.gate > 0.0 {
        out.line("gate", (x(result.gate), 14.0), (x(result.gate), base));
        out.word("tick", (x(result.gate), 11.0), Anchor::Middle, &format!("gate {:.2}", result.gate));
    }
    out.word("tick", (x(1.0), 11.0), Anchor::End, &format!("highest {highest}"));
    out.finish()
}
