//! The static table (RFC 7541, appendix A) and the dynamic one.

use std::collections::VecDeque;

/// The size of an entry in addition to its name and value, in bytes.
pub const OVERHEAD: usize = 32;

/// The static table, from index 1.
pub const STATIC: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

/// The dynamic table: the newest entry first. New entries reuse the memory of evicted ones, so that
/// a busy connection allocates nothing.
pub struct DynamicTable {
    entries: VecDeque<Entry>,
    spare: Vec<Entry>,
    size: usize,
    limit: usize,
}

#[derive(Default)]
struct Entry {
    text: Vec<u8>,
    name_length: usize,
}

impl Entry {
    fn size(&self) -> usize {
        self.text.len() + OVERHEAD
    }
}

impl DynamicTable {
    /// An empty table of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            spare: Vec::new(),
            size: 0,
            limit,
        }
    }

    /// Changes the limit, evicting entries that no longer fit.
    pub fn resize(&mut self, limit: usize) {
        self.limit = limit;
        self.make_room(0);
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.spare.extend(self.entries.drain(..));
        self.size = 0;
    }

    /// Inserts an entry, evicting others.
    pub fn insert(&mut self, name: &[u8], value: &[u8]) {
        let size = name.len() + value.len() + OVERHEAD;
        self.make_room(size);
        if size > self.limit {
            return;
        }
        let mut entry = self.spare.pop().unwrap_or_default();
        entry.text.clear();
        entry.text.extend_from_slice(name);
        entry.text.extend_from_slice(value);
        entry.name_length = name.len();
        self.size += size;
        self.entries.push_front(entry);
    }

    fn make_room(&mut self, size: usize) {
        while self.size + size > self.limit {
            let Some(entry) = self.entries.pop_back() else {
                return;
            };
            self.size -= entry.size();
            self.spare.push(entry);
        }
    }

    /// The name and value at an index of both tables: the static table first, from 1.
    pub fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        if let Some((name, value)) = STATIC.get(index.checked_sub(1)?) {
            return Some((name.as_bytes(), value.as_bytes()));
        }
        let entry = self.entries.get(index - 1 - STATIC.len())?;
        Some(entry.text.split_at(entry.name_length))
    }

    /// The size of all entries, in bytes.
    #[cfg(test)]
    pub fn size(&self) -> usize {
        self.size
    }
}
