//! A search by a vector: one that is given, or that of an item that is indexed ("more like this").

use super::search::Request;
use super::{Engine, EngineError, Session};
use crate::query::{NearTo, SearchContext, SearchOptions, search_near};
use crate::store::{Database, ItemFilter, MemoryView, ReadExternal, ReadItems, external_uid};
use crate::types::{Answer, Scope};

/// What is looked for in place of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Sample {
    /// What is near to this vector, as the model in use would make it.
    Vector(Vec<f32>),
    /// What is near to the text of this item: the id of a hit, or the one that a program gave it.
    Item(String),
}

/// The part of an item that is its whole text.
const WHOLE: u32 = 0;

impl Engine {
    /// Searches packs and index for what is near to a sample. Words do not count.
    ///
    /// # Errors
    /// [`EngineError::NoModel`] without a usable model, [`EngineError::WrongVector`] for a vector of another length or
    /// without a direction, [`EngineError::NoItem`] for an item that is not there or may not be seen, else as
    /// [`Engine::search`].
    pub fn search_alike(
        &self,
        sample: &Sample,
        options: &SearchOptions,
        session: &Session<'_>,
    ) -> Result<Answer, EngineError> {
        let request = self.request(None, options, session)?;
        if request.model.is_none() {
            return Err(EngineError::NoModel { model: self.settings.model.clone() });
        }
        let answer = request.ask(&options.filter, |context| {
            let near = near(&request, context, sample, &options.filter)?;
            Ok(search_near(context, &near, options)?)
        })?;
        request.end();
        Ok(answer)
    }
}

fn near(
    request: &Request<'_, '_>,
    context: SearchContext<'_>,
    sample: &Sample,
    filter: &ItemFilter,
) -> Result<NearTo, EngineError> {
    match sample {
        Sample::Vector(vector) => {
            let dims = context.semantics.map_or(0, |semantics| semantics.encoder.dims());
            Ok(NearTo { vector: unit(vector, dims)?, name: "a vector".to_owned(), without: None })
        }
        Sample::Item(id) => {
            let missing = || EngineError::NoItem { id: id.clone() };
            let row = find(request.database().ok_or_else(missing)?, id, filter)?.ok_or_else(missing)?;
            let own = context.items.map(|items| items.finder.vector(row as u64, Some(WHOLE))).transpose()?;
            let vector = own.flatten().ok_or_else(|| EngineError::NoVector { id: id.clone() })?;
            Ok(NearTo { vector, name: format!("like {id}"), without: Some(row) })
        }
    }
}

/// A vector of the model's length, made as long as 1.
fn unit(vector: &[f32], dims: usize) -> Result<Vec<f32>, EngineError> {
    let wrong = |what: String| EngineError::WrongVector { what };
    if vector.len() != dims {
        return Err(wrong(format!("it has {} components, those of the model have {dims}", vector.len())));
    }
    if !vector.iter().all(|value| value.is_finite()) {
        return Err(wrong("not all of its components are finite".to_owned()));
    }
    // In double precision: squares of large components would overflow.
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(wrong("it is zero, so nothing is nearer to it than anything else".to_owned()));
    }
    Ok(vector.iter().map(|value| (f64::from(*value) / length) as f32).collect())
}

/// The row of an item by its public id, or by the one that a program gave it in a scope that the filter admits. What
/// may not be seen is not there.
fn find(database: &Database, id: &str, filter: &ItemFilter) -> Result<Option<i64>, EngineError> {
    let seen = |row: i64| -> Result<Option<i64>, EngineError> {
        let view = MemoryView { home: filter.access.home().cloned(), expired: None };
        if database.is_hidden(row, &view)? {
            return Ok(None);
        }
        let found = database.items(&[row])?;
        Ok(found.first().filter(|(_, item)| filter.access.admits(&item.scope)).map(|_| row))
    };
    if let Some(row) = database.item_id(id)? {
        return seen(row);
    }
    let admits =
        |scope: &Scope| filter.access.admits(scope) && (filter.scopes.is_empty() || filter.scopes.contains(scope));
    let scopes: Vec<Scope> = database.external_scopes(id)?.into_iter().filter(admits).collect();
    match scopes.as_slice() {
        [] => Ok(None),
        [scope] => Ok(database.item_id(&external_uid(scope, id))?),
        _ => Err(EngineError::SeveralItems { id: id.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_made_as_long_as_one_or_refused() {
        assert_eq!(unit(&[3.0, 4.0], 2).unwrap(), [0.6, 0.8]);
        let large = unit(&[f32::MAX, f32::MAX], 2).unwrap();
        assert!((large[0] - 0.5f32.sqrt()).abs() < 1e-6);
        for (vector, what) in
            [(vec![1.0], "1 components"), (vec![f32::NAN, 1.0], "finite"), (vec![0.0, 0.0], "it is zero")]
        {
            assert!(unit(&vector, 2).unwrap_err().to_string().contains(what));
        }
    }
}
