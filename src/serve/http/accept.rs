//! Connections: accepted one after another up to a number, each with bounds on its headers and the time that they may
//! take. When the service ends, open ones are given some time.

use super::metrics::Shared;
use super::patient::{Connection, Patient};
use crate::serve::platform::SocketListener;
use crate::types::limits::{HTTP_CONNECTIONS, HTTP_HEAD_BYTES, HTTP_HEADERS};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

/// Longest that headers may take to come, and that a connection may be idle.
const HEADER_TIME: Duration = Duration::from_secs(15);
/// Longest that open requests are waited for at the end.
const DRAIN_TIME: Duration = Duration::from_secs(5);
/// How long nothing is accepted after the system has refused to, because it has no more descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Where connections come from.
pub(super) enum Listener {
    Tcp(TcpListener),
    Unix(SocketListener),
}

impl Listener {
    async fn accept(&self) -> io::Result<Box<dyn Connection>> {
        Ok(match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // An answer is written at once; waiting for more of it would only delay it.
                stream.set_nodelay(true)?;
                Box::new(stream)
            }
            Self::Unix(listener) => Box::new(listener.accept().await?),
        })
    }
}

/// Serves connections until the end is told, and then those that are open for a while.
pub(super) async fn serve(listener: Listener, router: Router, metrics: Shared, mut ending: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(HTTP_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME);
    builder.max_buf_size(HTTP_HEAD_BYTES).max_headers(HTTP_HEADERS);
    loop {
        let next = async {
            let place = Arc::clone(&room).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            next = next => next,
            _ = ending.wait_for(|ending| *ending) => break,
        };
        let Ok(stream) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(Patient::new(stream)), service));
        let counted = metrics.connection();
        tokio::spawn(async move {
            // A connection that breaks has nobody who could be told.
            drop(connection.await);
            drop((place, counted));
        });
    }
    drop(listener);
    drop(timeout(DRAIN_TIME, graceful.shutdown()).await);
}
