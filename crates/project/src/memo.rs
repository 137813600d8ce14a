//! Values that are worked out once, however many threads ask.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// A map whose values are made at the first question. Whoever asks for a value in the making waits for it, so nothing
/// is read or computed twice; questions about other keys go on meanwhile.
pub(crate) struct Memo<K, V> {
    cells: RwLock<FxHashMap<K, Arc<OnceLock<V>>>>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { cells: RwLock::default() }
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// The value of `key`, made by `make` if need be. `make` must not ask for the same key.
    pub fn get<Q>(&self, key: &Q, make: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let known = self.cells.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        let cell = known.unwrap_or_else(|| {
            let mut cells = self.cells.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(key.to_owned()).or_default())
        });
        cell.get_or_init(make).clone()
    }

    /// The value of `key` if it was made already.
    pub fn peek<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.cells.read().unwrap_or_else(PoisonError::into_inner).get(key)?.get().cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn makes_each_value_once_across_threads() {
        let memo: Memo<String, usize> = Memo::default();
        let made = AtomicUsize::new(0);
        assert_eq!(memo.peek("a"), None);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let value = memo.get("a", || {
                        std::thread::sleep(std::time::Duration::from_millis(5));
                        made.fetch_add(1, Ordering::Relaxed)
                    });
                    assert_eq!(value, 0);
                });
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
        assert_eq!(memo.peek("a"), Some(0));
    }
}
