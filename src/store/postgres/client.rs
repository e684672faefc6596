//! A client whose waits end: for a connection, for statements, and for the end of a connection.
//!
//! A server limits its statements itself, and the kernel notices a machine that is gone. Neither helps where a server
//! is stopped, or a balancer has no server behind it: the network is alive, and no answer comes. So each wait has a
//! limit here too, which is longer than the server's own. After that nothing is known of the connection, and it is
//! closed.

use std::future::{Future, pending, poll_fn};
use std::io;
use std::ops::{Deref, DerefMut};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::{BorrowToSql, ToSql, Type};
use tokio_postgres::{AsyncMessage, Config};
use tokio_postgres::{Error, Row, Socket, Statement, ToStatement};

/// Added to the time limit of a statement before an answer counts as missing.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// How long a connection may take to end. The server notices its end in any case.
const FAREWELL: Duration = Duration::from_secs(1);

/// Why there is no connection.
pub(super) enum Unmade {
    /// What client or server said.
    Said(Error),
    /// Nobody answered in time.
    Silent,
    /// This machine refuses.
    Io(io::Error),
}

/// Reads and writes what is due on a connection, and gives what the server says by itself.
type Driver = Box<dyn FnMut(&mut Context<'_>) -> Poll<Option<Result<AsyncMessage, Error>>> + Send>;

/// A connection, for one thread at a time.
pub(super) struct Client {
    // It is dropped first, which tells the other end of the line to close.
    client: tokio_postgres::Client,
    line: Line,
    /// How long the server lets a statement take.
    statement: Duration,
    /// Whether statements may take as long as they take.
    is_unhurried: bool,
}

/// The other end of a client.
struct Line {
    /// There until the connection is closed.
    driver: Option<Driver>,
    runtime: Runtime,
    /// Whether somebody has notified a channel.
    is_notified: bool,
    /// Whether it was closed because no answer came.
    is_silent: bool,
}

impl Client {
    /// Connects. TCP, TLS and the greeting together may take `at_most`; the server lets a statement take `statement`.
    pub fn connect<T>(config: &Config, tls: T, at_most: Duration, statement: Duration) -> Result<Self, Unmade>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(Unmade::Io)?;
        let made = runtime.block_on(async { timeout(at_most, config.connect(tls)).await });
        let (client, mut connection) = match made {
            Ok(Ok(made)) => made,
            Ok(Err(error)) => return Err(Unmade::Said(error)),
            Err(_) => {
                // The name of a host may still be looked up, which nobody waits for.
                runtime.shutdown_background();
                return Err(Unmade::Silent);
            }
        };
        let driver: Driver = Box::new(move |context| connection.poll_message(context));
        let line = Line { driver: Some(driver), runtime, is_notified: false, is_silent: false };
        Ok(Self { client, line, statement, is_unhurried: false })
    }

    /// Whether it can be used no more.
    pub fn is_closed(&self) -> bool {
        self.line.driver.is_none() || self.client.is_closed()
    }

    /// Whether it was closed because no answer came.
    pub fn is_silent(&self) -> bool {
        self.line.is_silent
    }

    /// Says whether the server lets statements take as long as they take. Then nothing limits them here either.
    pub fn set_unhurried(&mut self, is_unhurried: bool) {
        self.is_unhurried = is_unhurried;
    }

    /// How long an answer may take.
    fn limit(&self) -> Option<Duration> {
        let is_limited = !self.is_unhurried && !self.statement.is_zero();
        is_limited.then(|| self.statement.saturating_add(GRACE))
    }

    /// Prepares a statement.
    pub fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        let limit = self.limit();
        self.line.wait(limit, self.client.prepare(sql))
    }

    /// Runs a statement that answers rows.
    pub fn query<T>(&mut self, statement: &T, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Error>
    where
        T: ?Sized + ToStatement,
    {
        let limit = self.limit();
        self.line.wait(limit, self.client.query(statement, values))
    }

    /// Runs a statement that answers one row.
    pub fn query_one(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Row, Error> {
        let limit = self.limit();
        self.line.wait(limit, self.client.query_one(sql, values))
    }

    /// Runs a statement that answers one row or none.
    pub fn query_opt(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Option<Row>, Error> {
        let limit = self.limit();
        self.line.wait(limit, self.client.query_opt(sql, values))
    }

    /// Runs a statement that changes rows; gives how many.
    pub fn execute<T>(&mut self, statement: &T, values: &[&(dyn ToSql + Sync)]) -> Result<u64, Error>
    where
        T: ?Sized + ToStatement,
    {
        let limit = self.limit();
        self.line.wait(limit, self.client.execute(statement, values))
    }

    /// Runs statements without values. The limit is that of one statement, so at most one of them may be slow.
    pub fn batch_execute(&mut self, sql: &str) -> Result<(), Error> {
        self.batch_waiting(sql, Some(Duration::ZERO))
    }

    /// The same, with `wait` added to the limit, for waiting on locks; `None` is no limit.
    pub fn batch_waiting(&mut self, sql: &str, wait: Option<Duration>) -> Result<(), Error> {
        let limit = self.limit().zip(wait);
        self.line.wait(limit.map(|(own, wait)| own.saturating_add(wait)), self.client.batch_execute(sql))
    }

    /// The same, with a limit of its own.
    pub fn batch_within(&mut self, sql: &str, at_most: Duration) -> Result<(), Error> {
        self.line.wait(Some(at_most), self.client.batch_execute(sql))
    }

    /// Adds rows by a `COPY … FROM STDIN BINARY`; gives how many.
    pub fn copy<V, R>(&mut self, sql: &str, types: &[Type], rows: impl Iterator<Item = R>) -> Result<u64, Error>
    where
        V: BorrowToSql,
        R: IntoIterator<Item = V>,
        R::IntoIter: ExactSizeIterator,
    {
        let (limit, client) = (self.limit(), &self.client);
        self.line.wait(limit, async {
            let mut writer = pin!(BinaryCopyInWriter::new(client.copy_in(sql).await?, types));
            for row in rows {
                writer.as_mut().write_raw(row).await?;
            }
            writer.finish().await
        })
    }

    /// Begins changes that are undone when they are dropped before [`Transaction::commit`].
    pub fn transaction(&mut self, begin: &str) -> Result<Transaction<'_>, Error> {
        self.batch_execute(begin)?;
        let was_unhurried = self.is_unhurried;
        Ok(Transaction { client: self, is_open: true, was_unhurried })
    }

    /// Waits until somebody notifies a channel that is listened to, but no longer than `at_most`.
    pub fn wait_for_notification(&mut self, at_most: Duration) -> Result<(), Error> {
        let Line { driver, runtime, is_notified, .. } = &mut self.line;
        runtime.block_on(async {
            let mut over = pin!(sleep(at_most));
            let heard = poll_fn(|context| {
                drive(driver, is_notified, context)?;
                let is_over = *is_notified || driver.is_none() || over.as_mut().poll(context).is_ready();
                if is_over { Poll::Ready(Ok(())) } else { Poll::Pending }
            });
            heard.await
        })?;
        // One look answers all notifications that have arrived by now.
        self.line.is_notified = false;
        Ok(())
    }
}

impl Line {
    /// Runs what a client does, for at most so long.
    fn wait<T>(&mut self, at_most: Option<Duration>, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let Self { driver, runtime, is_notified, is_silent } = self;
        runtime.block_on(async {
            let mut work = pin!(work);
            let mut late = pin!(async {
                match at_most {
                    Some(at_most) => sleep(at_most).await,
                    None => pending().await,
                }
            });
            let done = poll_fn(|context| {
                drive(driver, is_notified, context)?;
                let done = work.as_mut().poll(context);
                if done.is_ready() || driver.is_none() || late.as_mut().poll(context).is_pending() {
                    return done;
                }
                *is_silent = true;
                *driver = None;
                // It hears that the connection is closed.
                work.as_mut().poll(context)
            });
            done.await
        })
    }
}

/// Does what is due on a connection. If the connection ends with an error, gives that error.
fn drive(driver: &mut Option<Driver>, is_notified: &mut bool, context: &mut Context<'_>) -> Result<(), Error> {
    while let Some(next) = driver {
        match next(context) {
            Poll::Pending => break,
            Poll::Ready(Some(Ok(said))) => *is_notified |= matches!(said, AsyncMessage::Notification(_)),
            Poll::Ready(ended) => {
                *driver = None;
                ended.transpose()?;
            }
        }
    }
    Ok(())
}

impl Drop for Line {
    fn drop(&mut self) {
        let Self { driver, runtime, is_notified, .. } = self;
        let ended = poll_fn(|context| {
            let ended = drive(driver, is_notified, context);
            if ended.is_err() || driver.is_none() { Poll::Ready(()) } else { Poll::Pending }
        });
        // Without a proper end, the server closes the connection itself.
        drop(runtime.block_on(async { timeout(FAREWELL, ended).await }));
    }
}

/// Changes that become true together.
pub(super) struct Transaction<'c> {
    client: &'c mut Client,
    is_open: bool,
    /// What comes back at its end.
    was_unhurried: bool,
}

impl Transaction<'_> {
    /// Makes them true.
    pub fn commit(mut self) -> Result<(), Error> {
        self.is_open = false;
        let done = self.client.batch_execute("COMMIT");
        self.client.set_unhurried(self.was_unhurried);
        done
    }
}

impl Deref for Transaction<'_> {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.client
    }
}

impl DerefMut for Transaction<'_> {
    fn deref_mut(&mut self) -> &mut Client {
        self.client
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open && !self.client.is_closed() {
            self.client.set_unhurried(self.was_unhurried);
            // A connection that cannot undo them is lost, and undoes them by that.
            drop(self.client.batch_execute("ROLLBACK"));
        }
    }
}
