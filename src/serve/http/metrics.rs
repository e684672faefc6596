//! Counts of the service as Prometheus reads them. Numbers and names of routes, never a text.

use axum::http::StatusCode;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::time::Instant;

/// Upper bounds of the times that are counted, seconds.
const BOUNDS: [f64; 14] = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0, 300.0];

/// A word that the program knows at compile time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Word(&'static str);

impl EncodeLabelValue for Word {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> fmt::Result {
        EncodeLabelValue::encode(&self.0, encoder)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: Word,
    method: Word,
    code: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRoute {
    route: Word,
}

/// Whether a question was answered with something.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    route: Word,
    found: Word,
}

/// All counts.
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    seconds: Family<OfRoute, Histogram>,
    in_flight: Gauge,
    waiting: Gauge,
    connections: Gauge,
    outcomes: Family<Outcome, Counter>,
    tokens: Counter,
    busy_seconds: Counter<f64, AtomicU64>,
}

/// Adds one to a gauge until it is dropped.
pub(super) struct Counted(Gauge);

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A request that is being answered. It is kept until the whole answer was sent. Then it is dropped, which counts it.
pub(super) struct Answering {
    metrics: Shared,
    route: &'static str,
    method: &'static str,
    begun: Instant,
    /// The status of the answer; `None` until the answer begins.
    code: Option<u16>,
    _in_flight: Counted,
}

impl Answering {
    /// Begins when the headers of a request have come.
    pub fn begin(metrics: &Shared, route: &'static str, method: &'static str) -> Self {
        let (metrics, in_flight) = (Arc::clone(metrics), Counted::new(&metrics.in_flight));
        Self { metrics, route, method, begun: Instant::now(), code: None, _in_flight: in_flight }
    }

    /// Sets the status of the answer.
    pub fn has_status(&mut self, status: StatusCode) {
        self.code = Some(status.as_u16());
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        if let Some(code) = self.code {
            self.metrics.answered(self.route, self.method, code, self.begun.elapsed());
        }
    }
}

impl Metrics {
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("ken");
        let seconds = Family::new_with_constructor((|| Histogram::new(BOUNDS)) as fn() -> Histogram);
        let metrics = Self {
            requests: Family::default(),
            seconds,
            in_flight: Gauge::default(),
            waiting: Gauge::default(),
            connections: Gauge::default(),
            outcomes: Family::default(),
            tokens: Counter::default(),
            busy_seconds: Counter::default(),
            registry: Registry::default(),
        };
        let build = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program", build);
        registry.register("http_requests", "Requests that were answered", metrics.requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "Time from a request's headers until its answer was made",
            Unit::Seconds,
            metrics.seconds.clone(),
        );
        registry.register("http_requests_in_flight", "Requests that are being answered", metrics.in_flight.clone());
        registry.register("http_connections", "Open connections", metrics.connections.clone());
        registry.register("waiting_requests", "Requests that wait for a thread", metrics.waiting.clone());
        registry.register("questions", "Questions, by whether anything was sure enough", metrics.outcomes.clone());
        registry.register("embedded_tokens", "Tokens that went through the model for callers", metrics.tokens.clone());
        registry.register_with_unit(
            "work",
            "Time that threads worked for requests",
            Unit::Seconds,
            metrics.busy_seconds.clone(),
        );
        Self { registry, ..metrics }
    }

    /// A request was answered.
    fn answered(&self, route: &'static str, method: &'static str, code: u16, took: Duration) {
        let (route, method) = (Word(route), Word(method));
        self.requests.get_or_create(&Answered { route, method, code }).inc();
        self.seconds.get_or_create(&OfRoute { route }).observe(took.as_secs_f64());
    }

    /// A question found something or nothing.
    pub fn asked(&self, route: &'static str, found: bool) {
        let found = Word(if found { "true" } else { "false" });
        self.outcomes.get_or_create(&Outcome { route: Word(route), found }).inc();
    }

    /// Tokens went through the model.
    pub fn embedded(&self, tokens: usize) {
        self.tokens.inc_by(tokens as u64);
    }

    /// A thread worked so long.
    pub fn worked(&self, took: Duration) {
        self.busy_seconds.inc_by(took.as_secs_f64());
    }

    /// A connection, which is counted until this goes.
    pub fn connection(&self) -> Counted {
        Counted::new(&self.connections)
    }

    /// All of it, as text.
    pub fn text(&self, waiting: usize) -> String {
        self.waiting.set(i64::try_from(waiting).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Only a writer can fail, and a string does not.
        if encode(&mut text, &self.registry).is_err() {
            text.clear();
        }
        text
    }
}

/// Shared by all connections.
pub(super) type Shared = Arc<Metrics>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_names_and_units() {
        let metrics = Metrics::new();
        metrics.answered("/v1/search", "POST", 200, Duration::from_millis(3));
        metrics.asked("/v1/search", false);
        metrics.embedded(7);
        let text = metrics.text(2);
        for line in [
            "ken_http_requests_total{route=\"/v1/search\",method=\"POST\",code=\"200\"} 1",
            "ken_http_request_duration_seconds_bucket{le=\"0.005\",route=\"/v1/search\"} 1",
            "ken_http_requests_in_flight 0",
            "ken_waiting_requests 2",
            "ken_questions_total{route=\"/v1/search\",found=\"false\"} 1",
            "ken_embedded_tokens_total 7",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in:\n{text}");
        }
    }

    #[test]
    fn a_request_is_in_flight_until_it_goes_and_counted_if_it_had_an_answer() {
        let metrics = Arc::new(Metrics::new());
        let has = |line: &str| metrics.text(0).lines().any(|found| found == line);
        let counted = "ken_http_requests_total{route=\"/mcp\",method=\"POST\",code=\"429\"} 1";
        let mut answering = Answering::begin(&metrics, "/mcp", "POST");
        // Its client goes away before there is a head.
        let gone = Answering::begin(&metrics, "/mcp", "POST");
        assert!(has("ken_http_requests_in_flight 2"));
        drop(gone);
        answering.has_status(StatusCode::TOO_MANY_REQUESTS);
        assert!(has("ken_http_requests_in_flight 1") && !has(counted));
        drop(answering);
        assert!(has("ken_http_requests_in_flight 0") && has(counted));
    }
}
