//! A plan or a validation of Terraform against what is known.

use super::{Engine, EngineError, Session};
use crate::query::LookupOptions;
use crate::terraform::{Diagnostic, Input, ReadError, judge, read, uncovered};
use crate::text::{decode, single_line};
use crate::types::{Checked, Content, Hit, PlanFinding, PlanReport, Risk};
use std::cmp::Reverse;

/// How a zip file begins: a plan as Terraform saves it.
const ZIP: &[u8] = b"PK\x03\x04";

/// Longest message of a validation that is repeated, in characters.
const TEXT_CHARS: usize = 240;

impl Engine {
    /// Reads a plan or a validation and tells which known failures it makes likely, or names.
    ///
    /// # Errors
    /// [`EngineError::Terraform`] if it is neither, [`EngineError::Decode`] if it is no text, and those of
    /// [`Engine::lookup`] for a validation.
    pub fn check_plan(&self, input: &[u8], session: &Session<'_>) -> Result<PlanReport, EngineError> {
        if input.starts_with(ZIP) {
            return Err(ReadError::Binary.into());
        }
        match read(decode(input)?.trim_start())? {
            Input::Plan(plan) => {
                let packs = self.packs(session);
                let findings = judge(&plan, packs.canon().entries().iter());
                let looked_at = plan.changes.iter().filter(|change| change.action().is_some()).count();
                let uncovered = uncovered(&plan, packs.canon().entries().iter());
                Ok(PlanReport { checked: Checked::Plan, looked_at, uncovered, findings })
            }
            Input::Validation(found) => {
                let mut findings = Vec::with_capacity(found.len());
                for diagnostic in &found {
                    session.check()?;
                    findings.push(self.explain(diagnostic, session)?);
                }
                findings.sort_by_key(|finding: &PlanFinding| Reverse(finding.risk));
                Ok(PlanReport { checked: Checked::Validation, looked_at: found.len(), uncovered: 0, findings })
            }
        }
    }

    /// A message of a validation, with the entry that knows it.
    fn explain(&self, diagnostic: &Diagnostic, session: &Session<'_>) -> Result<PlanFinding, EngineError> {
        let options = LookupOptions { limit: 1, max_errors: 1, ..LookupOptions::default() };
        let answer = self.lookup(diagnostic.printed().as_bytes(), &options, session)?;
        let known = answer.results.into_iter().flat_map(|finding| finding.hits).next();
        let told = PlanFinding {
            risk: if diagnostic.is_error() { Risk::High } else { Risk::Low },
            address: diagnostic.about(),
            count: 1,
            action: None,
            text: single_line(&format!("{}. {}", diagnostic.summary, diagnostic.detail), TEXT_CHARS),
            id: None,
            title: None,
            cause: None,
            fix: Vec::new(),
            references: Vec::new(),
        };
        Ok(match known {
            Some(Hit { id, title, content: Content::Advice(advice), .. }) => PlanFinding {
                id: Some(id),
                title: Some(title),
                cause: Some(advice.cause),
                fix: advice.fix,
                references: advice.references,
                ..told
            },
            _ => told,
        })
    }
}
