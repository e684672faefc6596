//! What is learnt and decided over a service. Whoever asks sees the memories of their home and those that count
//! everywhere; the author and the session come with the call and never with the request alone.

use super::{Answered, Caller, Service, Speaker};
use crate::engine::{Decision, Deleted, EngineError, MemoryPage, Remembered, Session, Told};
use crate::serve::requests::{
    Asker, DecideRequest, DisputeRequest, ListMemoriesRequest, RememberRequest, RequestError, check_session, seen_from,
    session_of_day,
};
use crate::types::{Access, MEMORY_PREFIX, MemoryEvent};

impl Service {
    /// Remembers something.
    ///
    /// # Errors
    /// As [`Service::lookup`]; nothing is stored then.
    pub fn remember(
        &self,
        request: RememberRequest,
        by: Speaker<'_>,
        caller: Caller<'_>,
    ) -> Result<Answered<Remembered>, RequestError> {
        self.run(caller, |session| {
            let from = session_id(request.session.as_deref(), by, session)?;
            let access = caller.access.clone().from_home(self.here.scope(&self.engine));
            let asker = Asker { access: &access, ..self.asker(caller, session.notes()) };
            let wanted = request.read(asker)?;
            Ok(self.engine.remember(wanted, (by.author, &from), &access, session)?)
        })
    }

    /// Disputes a memory, or takes a dispute back.
    ///
    /// # Errors
    /// As [`Service::decide`], and where it is not said why.
    pub fn dispute(
        &self,
        request: DisputeRequest,
        by: Speaker<'_>,
        caller: Caller<'_>,
    ) -> Result<Answered<Told>, RequestError> {
        let (request, decision) = request.read()?;
        self.decide(request, decision, by, caller)
    }

    /// Decides about a memory, and tells how it stands now.
    ///
    /// # Errors
    /// As [`Service::lookup`]; for a memory that is not there or may not be seen too, and where a person has to decide.
    pub fn decide(
        &self,
        request: DecideRequest,
        decision: Decision,
        by: Speaker<'_>,
        caller: Caller<'_>,
    ) -> Result<Answered<Told>, RequestError> {
        self.run(caller, |session| {
            let from = session_id(request.session.as_deref(), by, session)?;
            let words = request.words()?;
            let missing = EngineError::NoMemory { id: request.id.clone() };
            let access = self.seen_by(caller);
            let decided = self.engine.decide(&[request.id], decision, words, (by.author, &from), &access, session)?;
            let memory = decided.into_iter().next().ok_or(missing)?;
            Ok(Told::of(memory, session.now()))
        })
    }

    /// A page of the memories that pass.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn memories(
        &self,
        request: ListMemoriesRequest,
        caller: Caller<'_>,
    ) -> Result<Answered<MemoryPage>, RequestError> {
        self.run(caller, |session| {
            request.check()?;
            let (filter, access) = (request.filter()?, self.seen_by(caller));
            Ok(self.engine.list_memories(&filter, request.after.as_deref(), request.most(), &access, session)?)
        })
    }

    /// A memory by its id or the beginning of it, and all that happened to it.
    ///
    /// # Errors
    /// As [`Service::lookup`]; for a memory that is not there or may not be seen too.
    pub fn memory(&self, id: &str, caller: Caller<'_>) -> Result<Answered<(Told, Vec<MemoryEvent>)>, RequestError> {
        self.run(caller, |session| Ok(self.engine.history(id, &self.seen_by(caller), session)?))
    }

    /// Forgets a memory by its whole id, with the problem that it alone was tried against.
    ///
    /// # Errors
    /// As [`Service::memory`]; nothing is forgotten then.
    pub fn forget_memory(&self, id: &str, caller: Caller<'_>) -> Result<Answered<Deleted>, RequestError> {
        self.run(caller, |session| {
            let id = if id.starts_with(MEMORY_PREFIX) { id.to_owned() } else { format!("{MEMORY_PREFIX}{id}") };
            let access = self.seen_by(caller);
            // What is gone for good is not guessed from the beginning of its id.
            if self.engine.history(&id, &access, session)?.0.memory.id != id {
                return Err(EngineError::NoMemory { id }.into());
            }
            let forgotten = self.engine.forget(&[id], &access, session)?;
            Ok(Deleted { deleted: forgotten.items, traces_left: forgotten.traces_left })
        })
    }

    fn seen_by(&self, caller: Caller<'_>) -> Access {
        seen_from(&self.engine, caller.access, &self.here)
    }
}

/// The session that something is said in.
fn session_id(named: Option<&str>, by: Speaker<'_>, session: &Session<'_>) -> Result<String, RequestError> {
    let Some(id) = named.or(by.session) else { return Ok(session_of_day(session.now())) };
    check_session(id)?;
    Ok(id.to_owned())
}
