//! A server behind a URL (streamable HTTP): each message is posted in a thread of its own, and what comes back, as JSON
//! or as events, is handed on.
//!
//! The client is the one that pulls models (ureq). It waits for its answers, so a request has a thread, which ends with
//! its answer or at the time limit; a server has a few at most. Of the streams that the protocol has, the one that a
//! client may open to listen is not opened: nobody behind a gateway would hear of it. A stream that breaks off is told
//! of and not taken up again.

use super::address::{Headers, is_local, sent_on};
use super::events::Events;
use super::messages::{MESSAGE, message};
use super::metered::Meter;
use crate::engine::face::models::ProxySettings;
use crate::engine::face::system::can_start;
use crate::engine::face::text::single_line;
use crate::render::json;
use rmcp::model::{JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::borrow::Cow;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, oneshot};
use ureq::http::{HeaderValue, Response, Uri, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};

/// Most requests to a server at a time, and most threads that wait for the end of a stream whose answer has come, so
/// that its connection can be used again.
const REQUESTS: usize = 16;
const LINGERING: usize = 4;
/// How much of a stream is read after its answer, in bytes.
const AFTER_ANSWER: u64 = 1 << 16;
/// How much is shown of a body that is no answer, in characters; and read of it, in bytes.
const SHOWN: usize = 200;
const READ_TO_SHOW: u64 = 2_000;
/// How long a server may take to be reached.
const CONNECTS: Duration = Duration::from_secs(10);
/// How often a server may send us on.
const HOPS: usize = 3;
/// Longest id of a session.
const SESSION_ID: usize = 1_000;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// Why a message has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum WebError {
    /// It never arrived.
    #[error("it could not be reached: {0}")]
    Unreached(String),
    /// It was turned away before anything was done.
    #[error("{0}")]
    TurnedAway(String),
    /// What was done with it is not known.
    #[error("{0}")]
    NoAnswer(String),
}

/// What both sides agreed on in their first messages.
#[derive(Debug, Clone, Default)]
struct Agreed {
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

/// What every request shares.
struct Place {
    agent: Agent,
    url: Uri,
    headers: Headers,
    agreed: Mutex<Agreed>,
    meter: Meter,
    lingering: Semaphore,
    to: UnboundedSender<RxJsonRpcMessage<RoleClient>>,
}

/// A server behind a URL, as the protocol's other layers see it.
pub(super) struct Web {
    place: Arc<Place>,
    requests: Arc<Semaphore>,
    from: UnboundedReceiver<RxJsonRpcMessage<RoleClient>>,
}

impl Web {
    /// A server that nobody has asked yet. `limit` is for each answer.
    ///
    /// # Errors
    /// [`WebError::Unreached`] for a proxy that is none.
    pub(super) fn new(
        url: &Uri,
        headers: &Headers,
        proxy: Option<&ProxySettings>,
        limit: Duration,
        meter: &Meter,
    ) -> Result<Self, WebError> {
        let proxy = proxy.filter(|proxy| !is_local(url) && !proxy.excludes(url.host().unwrap_or_default()));
        let proxy = proxy.map(|proxy| Proxy::new(&proxy.url)).transpose();
        let proxy = proxy.map_err(|_| WebError::Unreached("the proxy's address is not one".to_owned()))?;
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .proxy(proxy)
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("kenning/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(limit))
            .timeout_connect(Some(CONNECTS))
            .build()
            .new_agent();
        let (to, from) = unbounded_channel();
        let place = Place {
            agent,
            url: url.clone(),
            headers: headers.clone(),
            agreed: Mutex::default(),
            meter: meter.clone(),
            lingering: Semaphore::new(LINGERING),
            to,
        };
        Ok(Self { place: Arc::new(place), requests: Arc::new(Semaphore::new(REQUESTS)), from })
    }
}

impl Transport<RoleClient> for Web {
    type Error = WebError;

    fn name() -> Cow<'static, str> {
        "http".into()
    }

    /// Is done when the answer has come, or cannot come any more.
    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), WebError>> + Send + 'static {
        let (place, requests) = (Arc::clone(&self.place), Arc::clone(&self.requests));
        async move {
            let inside = |why: String| WebError::Unreached(why);
            let permit = requests.acquire_owned().await.map_err(|error| inside(error.to_string()))?;
            can_start(2).map_err(|error| inside(format!("no thread can be started: {error}")))?;
            let body = json(&message).map_err(|error| inside(error.to_string()))?;
            let awaited = match message {
                JsonRpcMessage::Request(request) => Some(request.id),
                _ => None,
            };
            let (tell, told) = oneshot::channel();
            let work = move || {
                let (outcome, rest) = match place.post(&body, awaited.as_ref(), &|| tell.is_closed()) {
                    Ok(rest) => (Ok(()), rest),
                    Err(why) => (Err(why), None),
                };
                drop(tell.send(outcome));
                drop(permit);
                if let (Some(rest), Ok(_slot)) = (rest, place.lingering.try_acquire()) {
                    drop(std::io::copy(&mut rest.take(AFTER_ANSWER), &mut std::io::sink()));
                }
            };
            std::thread::Builder::new()
                .name("server".to_owned())
                .spawn(work)
                .map_err(|error| inside(error.to_string()))?;
            told.await.unwrap_or_else(|_| Err(inside("the request failed inside ken".to_owned())))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.from.recv().await
    }

    /// Tells the server that its session is over, as far as it listens.
    async fn close(&mut self) -> Result<(), WebError> {
        let place = Arc::clone(&self.place);
        self.from.close();
        if place.agreed().session.is_some() && can_start(2).is_ok() {
            let (tell, told) = oneshot::channel::<()>();
            let work = move || {
                drop(place.sent(None));
                drop(tell);
            };
            if std::thread::Builder::new().name("server".to_owned()).spawn(work).is_ok() {
                drop(told.await);
            }
        }
        Ok(())
    }
}

type Stream = Box<dyn Read + Send>;

impl Place {
    fn agreed(&self) -> Agreed {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A request with the headers that every one has.
    fn plain<B>(&self, mut request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        for (name, value) in &self.headers.0 {
            request = request.header(name, value);
        }
        let Agreed { session, version } = self.agreed();
        let named = [(SESSION, session), (VERSION, version)];
        for (name, value) in named {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        request.header(header::ACCEPT_ENCODING, "identity")
    }

    /// Posts a message and hands on what comes until its answer has. Gives what is left of a stream of events.
    fn post(
        &self,
        body: &str,
        awaited: Option<&RequestId>,
        given_up: &dyn Fn() -> bool,
    ) -> Result<Option<Stream>, WebError> {
        let response = self.sent(Some(body))?;
        let status = response.status();
        if !status.is_success() {
            return self.turned_away(response, awaited).map(|()| None);
        }
        if let Some(session) = response.headers().get(SESSION).filter(|id| id.len() <= SESSION_ID) {
            self.agreed.lock().unwrap_or_else(PoisonError::into_inner).session = Some(session.clone());
        }
        let Some(awaited) = awaited else { return Ok(None) };
        let kind = media_type(&response);
        let mut reader = response.into_body().into_reader();
        match kind.as_str() {
            "application/json" => {
                let text = self.whole(&mut reader, given_up)?;
                match self.hand_on(&text, awaited)? {
                    true => Ok(None),
                    false => Err(no_answer("its answer is one to another message")),
                }
            }
            "text/event-stream" => {
                self.events(&mut reader, awaited, given_up)?;
                Ok(Some(Box::new(reader)))
            }
            _ if matches!(status.as_u16(), 202 | 204) => Err(no_answer("it took the message and gave no answer")),
            "" => Err(no_answer("its answer does not say what it is")),
            other => Err(no_answer(format!("its answer is {}, which is no message", single_line(other, SHOWN)))),
        }
    }

    /// Sends a body, or the end of the session, also where the server says that it is to go, if that is a place of its
    /// own.
    fn sent(&self, body: Option<&str>) -> Result<Response<Body>, WebError> {
        let mut url = self.url.clone();
        for _ in 0..=HOPS {
            let sent = match body {
                Some(body) => self
                    .plain(self.agent.post(&url))
                    .header(header::CONTENT_TYPE, "application/json")
                    .header(header::ACCEPT, "application/json, text/event-stream")
                    .send(body),
                None => self.plain(self.agent.delete(&url)).call(),
            };
            let response = sent.map_err(|error| failed(&error))?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            let place = response.headers().get(header::LOCATION).and_then(|place| place.to_str().ok());
            let place = place.unwrap_or_default();
            let shown = single_line(place, SHOWN);
            if !matches!(response.status().as_u16(), 307 | 308) {
                let status = response.status().as_u16();
                let text = format!("it answers HTTP {status} and names another place ({shown}); is that the url?");
                return Err(WebError::TurnedAway(text));
            }
            url = sent_on(&url, place).map_err(|_| {
                let text = format!("it sends us on to {shown}, where its messages and headers do not go");
                WebError::TurnedAway(text)
            })?;
        }
        Err(WebError::TurnedAway("it sends us on again and again".to_owned()))
    }

    /// What an answer says that is no success: the protocol's own error, or a status.
    fn turned_away(&self, response: Response<Body>, awaited: Option<&RequestId>) -> Result<(), WebError> {
        let status = response.status().as_u16();
        let is_json = media_type(&response) == "application/json";
        let mut start = Vec::new();
        let mut reader = response.into_body().into_reader().take(READ_TO_SHOW);
        // What came before it broke off says enough.
        drop(reader.read_to_end(&mut start));
        let text = String::from_utf8_lossy(&start);
        if let (true, Some(awaited)) = (is_json, awaited)
            && matches!(self.hand_on(&text, awaited), Ok(true))
        {
            return Ok(());
        }
        let said = match single_line(&text, SHOWN) {
            said if said.is_empty() => String::new(),
            said => format!(": {said}"),
        };
        let has_session = self.agreed().session.is_some();
        Err(match status {
            401 | 403 => {
                WebError::TurnedAway(format!("it wants to know who asks (HTTP {status}); set its headers{said}"))
            }
            404 if has_session => WebError::TurnedAway("it has forgotten this session; call again".to_owned()),
            400..500 => WebError::TurnedAway(format!("it answers HTTP {status}{said}")),
            _ => no_answer(format!("it answers HTTP {status}{said}")),
        })
    }

    /// Reads a body to its end.
    fn whole(&self, reader: &mut impl Read, given_up: &dyn Fn() -> bool) -> Result<String, WebError> {
        let mut all = Vec::new();
        while let Some(piece) = self.piece(reader, given_up)? {
            all.extend_from_slice(&piece);
            if all.len() > MESSAGE {
                return Err(no_answer(format!("it sent a message longer than {MESSAGE} bytes")));
            }
        }
        String::from_utf8(all).map_err(|_| no_answer("its answer is no UTF-8"))
    }

    /// Reads events until the answer has come.
    fn events(&self, reader: &mut impl Read, awaited: &RequestId, given_up: &dyn Fn() -> bool) -> Result<(), WebError> {
        let mut events = Events::new(MESSAGE);
        while let Some(piece) = self.piece(reader, given_up)? {
            let mut is_answered = false;
            for data in events.take(&piece).map_err(|broken| no_answer(broken.to_string()))? {
                // Without data an event says where a stream could be taken up again.
                is_answered |= !data.trim().is_empty() && self.hand_on(&data, awaited)?;
            }
            if is_answered {
                return Ok(());
            }
        }
        Err(no_answer("its stream ended before it answered"))
    }

    fn piece(&self, reader: &mut impl Read, given_up: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, WebError> {
        let mut piece = vec![0; 1 << 14];
        let count = reader.read(&mut piece).map_err(|error| no_answer(format!("it broke off: {error}")))?;
        piece.truncate(count);
        self.meter.count(count as u64);
        if self.meter.is_over() {
            return Err(no_answer("it sent too much"));
        }
        if given_up() {
            return Err(no_answer("nobody waits for it any more"));
        }
        Ok((count > 0).then_some(piece))
    }

    /// Hands on a message; gives whether it is the answer.
    fn hand_on(&self, text: &str, awaited: &RequestId) -> Result<bool, WebError> {
        let message =
            message(text.as_bytes()).ok_or_else(|| no_answer("it sent what is no message of the protocol"))?;
        let is_answer = match &message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(first) = &response.result {
                    let version = HeaderValue::from_str(first.protocol_version.as_str()).ok();
                    self.agreed.lock().unwrap_or_else(PoisonError::into_inner).version = version;
                }
                response.id == *awaited
            }
            JsonRpcMessage::Error(error) => error.id.as_ref() == Some(awaited),
            _ => false,
        };
        // Nobody may be there to hear it.
        drop(self.to.send(message));
        Ok(is_answer)
    }
}

fn no_answer(why: impl Into<String>) -> WebError {
    WebError::NoAnswer(why.into())
}

/// The type of a body, without its parameters.
fn media_type(response: &Response<Body>) -> String {
    let whole = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    whole.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// What a request came to that has no answer at all.
fn failed(error: &ureq::Error) -> WebError {
    use ureq::{Error, Timeout};
    match error {
        Error::HostNotFound => WebError::Unreached("its name cannot be resolved".to_owned()),
        Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            WebError::Unreached(format!("no answer within {} s", CONNECTS.as_secs()))
        }
        Error::ConnectionFailed | Error::Tls(_) | Error::Rustls(_) => WebError::Unreached(error.to_string()),
        Error::Io(io) if io.kind() == std::io::ErrorKind::ConnectionRefused => {
            WebError::Unreached("nobody listens there".to_owned())
        }
        Error::Timeout(_) => no_answer("it gave no answer in time"),
        other => no_answer(format!("it gave no answer: {other}")),
    }
}
