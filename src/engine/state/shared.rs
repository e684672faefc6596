//! A value that many threads read and that is replaced as a whole.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A snapshot, or none yet. What somebody holds stays as it is when it is replaced.
#[derive(Debug)]
pub(in crate::engine) struct Shared<T> {
    current: Mutex<Option<Arc<T>>>,
    /// Held by whoever makes a new one, so that it is made once.
    making: Mutex<()>,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self { current: Mutex::new(None), making: Mutex::new(()) }
    }
}

fn held<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    // A panic elsewhere leaves the pointer whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Shared<T> {
    /// The snapshot, if there is one.
    pub fn get(&self) -> Option<Arc<T>> {
        held(&self.current).clone()
    }

    /// The snapshot if it is current, else a new one, made from the old one. One thread makes it; others that need it
    /// wait, and nobody else does.
    ///
    /// # Errors
    /// Those of `make`; the old one stays then, and the next request tries again.
    pub fn current<E>(
        &self,
        is_current: impl Fn(&T) -> bool,
        make: impl FnOnce(Option<Arc<T>>) -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(found) = self.get().filter(|found| is_current(found)) {
            return Ok(found);
        }
        let _making = held(&self.making);
        let old = self.get();
        if let Some(made) = old.as_ref().filter(|made| is_current(made)) {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(make(old)?);
        *held(&self.current) = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Forgets the snapshot: the next request makes a new one.
    pub fn clear(&self) {
        held(&self.current).take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn one_thread_makes_what_all_wait_for() {
        let (shared, made) = (Shared::<usize>::default(), AtomicUsize::new(0));
        let make = |_| {
            made.fetch_add(1, Ordering::SeqCst);
            Ok::<_, ()>(7)
        };
        let ask = || shared.current(|held| *held == 7, make);
        std::thread::scope(|scope| {
            for asked in (0..8).map(|_| scope.spawn(ask)).collect::<Vec<_>>() {
                assert_eq!(*asked.join().unwrap().unwrap(), 7);
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn what_could_not_be_made_is_tried_again_and_what_is_held_stays() {
        let shared = Shared::<usize>::default();
        assert_eq!(shared.current(|_| true, |_| Err("no")).unwrap_err(), "no");
        let first = shared.current(|_| true, |_| Ok::<_, ()>(1)).unwrap();
        let second = shared.current(|held| *held > 1, |old| Ok::<_, ()>(*old.unwrap() + 1)).unwrap();
        assert_eq!((*first, *second), (1, 2));
        shared.clear();
        assert!(shared.get().is_none());
    }
}
