//! Working memory that is kept from call to call.

/// The first `len` values of a list, which is made longer where it has to be. Their values are whatever was there.
pub(crate) fn fit<T: Default + Clone>(list: &mut Vec<T>, len: usize) -> &mut [T] {
    if list.len() < len {
        list.resize(len, T::default());
    }
    &mut list[..len]
}
