//! Bounds of numbers in requests. The command line's parser holds its options to the same.

use super::{
    FindToolsRequest, ListItemsRequest, ListMemoriesRequest, LookupRequest, PackRequest, RequestError, SearchRequest,
};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// An error that names the bounds, for a value that lies outside.
fn within<T: PartialOrd + Display>(name: &str, value: Option<T>, range: RangeInclusive<T>) -> Result<(), RequestError> {
    let Some(value) = value.filter(|value| !range.contains(value)) else { return Ok(()) };
    let hint = format!("give a number from {} to {}", range.start(), range.end());
    Err(RequestError::usage(format!("{name} cannot be {value}"), hint))
}

impl LookupRequest {
    /// # Errors
    /// [`RequestError`] for a number outside of its bounds.
    pub(in crate::serve) fn check(&self) -> Result<(), RequestError> {
        within("limit", self.limit, 1..=100)?;
        within("max_errors", self.max_errors, 1..=100)?;
        within("min_relevance", self.min_relevance, 0.0..=1.0)
    }
}

impl SearchRequest {
    /// # Errors
    /// As [`LookupRequest::check`].
    pub(in crate::serve) fn check(&self) -> Result<(), RequestError> {
        within("limit", self.limit, 1..=100)?;
        within("context", self.context, 0..=1_000)?;
        within("min_relevance", self.min_relevance, 0.0..=1.0)
    }
}

impl PackRequest {
    /// # Errors
    /// As [`LookupRequest::check`].
    pub(in crate::serve) fn check(&self) -> Result<(), RequestError> {
        within("budget", self.budget, 1..=10_000_000)
    }
}

impl ListItemsRequest {
    /// # Errors
    /// As [`LookupRequest::check`].
    pub(in crate::serve) fn check(&self) -> Result<(), RequestError> {
        within("limit", self.limit, 1..=1_000)
    }
}

impl ListMemoriesRequest {
    /// # Errors
    /// As [`LookupRequest::check`].
    pub(in crate::serve) fn check(&self) -> Result<(), RequestError> {
        within("limit", self.limit, 1..=1_000)
    }
}

impl FindToolsRequest {
    /// # Errors
    /// As [`LookupRequest::check`].
    pub(super) fn check(&self) -> Result<(), RequestError> {
        within("top", self.top, 1..=100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_named_with_its_bounds() {
        let ask = |limit, min_relevance| SearchRequest { limit, min_relevance, ..SearchRequest::default() }.check();
        assert!(ask(None, None).is_ok() && ask(Some(100), Some(1.0)).is_ok());
        assert_eq!(ask(Some(0), None).unwrap_err().to_string(), "limit cannot be 0");
        assert!(ask(Some(101), None).is_err() && ask(None, Some(-0.1)).is_err() && ask(None, Some(f32::NAN)).is_err());
        assert!(PackRequest { budget: Some(0), ..PackRequest::default() }.check().is_err());
        assert!(ListMemoriesRequest { limit: Some(1_001), ..ListMemoriesRequest::default() }.check().is_err());
        assert!(LookupRequest { max_errors: Some(101), ..LookupRequest::default() }.check().is_err());
    }
}
