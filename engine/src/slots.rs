//! A table whose free places are used again: no allocation once it has grown to its working size.

pub struct Slots<T> {
    entries: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Slots<T> {
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            entries: Vec::with_capacity(capacity),
            free: Vec::with_capacity(capacity),
        }
    }

    pub fn insert(&mut self, value: T) -> u32 {
        if let Some(index) = self.free.pop() {
            self.entries[index as usize] = Some(value);
            return index;
        }
        self.entries.push(Some(value));
        (self.entries.len() - 1) as u32
    }

    pub fn remove(&mut self, index: u32) -> Option<T> {
        let value = self.entries.get_mut(index as usize)?.take()?;
        self.free.push(index);
        Some(value)
    }

    pub fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.entries.get_mut(index as usize)?.as_mut()
    }

    pub fn get(&self, index: u32) -> Option<&T> {
        self.entries.get(index as usize)?.as_ref()
    }

    pub fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again() {
        let mut slots = Slots::with_capacity(2);
        let (a, b) = (slots.insert('a'), slots.insert('b'));
        assert_eq!(slots.remove(a), Some('a'));
        assert_eq!(slots.remove(a), None);
        assert_eq!(slots.insert('c'), a);
        assert_eq!((slots.get(a), slots.get(b)), (Some(&'c'), Some(&'b')));
        assert_eq!((slots.len(), slots.is_empty()), (2, false));
    }
}
