//! Bytes that many launches share, copied on write.

use std::ops::Deref;
use std::sync::Arc;

/// The initial contents of an array; clones are cheap.
#[derive(Clone, Debug)]
pub struct Bytes {
    all: Arc<Vec<u8>>,
    /// How many of the bytes are used.
    len: usize,
}

impl Bytes {
    /// The first `len` bytes, if there are that many.
    pub fn first(&self, len: usize) -> Option<Bytes> {
        (len <= self.len).then(|| Bytes { all: self.all.clone(), len })
    }

    /// Mutable access; the bytes are copied if they are shared.
    pub(crate) fn to_mut(&mut self) -> &mut [u8] {
        &mut Arc::make_mut(&mut self.all)[..self.len]
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        let len = bytes.len();
        Bytes { all: Arc::new(bytes), len }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.all[..self.len]
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn writing_makes_a_copy() {
        let all = Bytes::from(vec![1, 2, 3]);
        let mut first = all.first(2).expect("there are three");
        first.to_mut()[1] = 9;
        assert_eq!((&all[..], &first[..]), (&[1, 2, 3][..], &[1, 9][..]));
        assert_eq!(all.first(4), None);
        assert_eq!(all.first(1), Some(vec![1].into()));
    }
}
