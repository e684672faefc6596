//! What tools did, over a service. Whoever reports a run has it kept for the repository that the service runs in, and
//! sees what may be seen from there.

use super::{Answered, Caller, Service};
use crate::engine::Failures;
use crate::serve::requests::{FailuresRequest, KeepOutcomesRequest, RequestError};

impl Service {
    /// Keeps runs; gives their numbers in their sessions.
    ///
    /// # Errors
    /// As [`Service::lookup`]; also where the caller may not see what is kept here.
    pub fn keep_outcomes(
        &self,
        request: &KeepOutcomesRequest,
        caller: Caller<'_>,
    ) -> Result<Answered<Vec<u32>>, RequestError> {
        self.run(caller, |session| {
            let access = caller.access.clone().from_home(self.here.scope(&self.engine));
            let scope = access.home().unwrap_or_else(|| self.here.scope(&self.engine)).clone();
            if !access.remembers(&scope) {
                return Err(RequestError::usage(
                    "nothing can be kept here with this token",
                    "ask for one that may see the repository that the service runs in",
                ));
            }
            Ok(self.engine.keep_outcomes(&request.runs()?, &scope, session)?)
        })
    }

    /// Failures that pass, the most frequent first.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn failures(&self, request: &FailuresRequest, caller: Caller<'_>) -> Result<Answered<Failures>, RequestError> {
        self.run(caller, |session| {
            let access = caller.access.clone().from_home(self.here.scope(&self.engine));
            let filter = request.filter(session.now())?;
            Ok(self.engine.failures(&filter, request.most(), &access, session)?)
        })
    }
}
