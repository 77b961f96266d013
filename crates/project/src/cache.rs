//! Answers kept between runs, under names that are hashes of all that they depend on.
//!
//! A key is made of labelled parts; an entry is one file, named by its key, that begins with a hash of the rest. It is
//! written under another name and renamed, so that processes may share the folder, and one that is killed leaves
//! nothing behind that anybody reads. What is damaged, or written by another version, is not found. Beyond
//! the limit on size, the entries that were used least recently go.
//!
//! Nothing here is ever an error to the user: a cache that cannot be used only costs time.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use std::{env, fs, io, process};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::suppress;

/// The form of the entries: another number, another folder.
const FORMAT: &str = "results-2";
const DEFAULT_LIMIT: u64 = 512 << 20;
/// An entry is marked as used at most so often.
const TOUCH_AFTER: Duration = Duration::from_secs(3600);

/// What an answer depends on, as it is put together.
#[derive(Clone, Default)]
pub struct KeyBuilder(Sha256);

impl KeyBuilder {
    /// Adds a part: its label, its length and its bytes, so that no two lists of parts look alike.
    pub fn part(&mut self, label: &str, bytes: &[u8]) -> &mut KeyBuilder {
        self.0.update(label.as_bytes());
        self.0.update([0]);
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a part as it is written for debugging, without making that text.
    pub fn debug(&mut self, label: &str, value: &dyn fmt::Debug) -> &mut KeyBuilder {
        let mut inner = Writer(Sha256::new());
        let _ = fmt::write(&mut inner, format_args!("{value:?}"));
        let digest = inner.0.finalize();
        self.part(label, &digest)
    }

    pub fn finish(&self) -> Key {
        Key(hex(&self.0.clone().finalize()))
    }
}

struct Writer(Sha256);

impl fmt::Write for Writer {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.0.update(s.as_bytes());
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key(String);

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// What is remembered of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub hash: String,
    /// It may hold suppressions.
    pub is_marked: bool,
}

impl Seen {
    pub fn of(bytes: &[u8]) -> Seen {
        let mark = suppress::MARK.as_bytes();
        let is_marked = bytes.windows(mark.len()).any(|w| w == mark);
        Seen { hash: hash(bytes), is_marked }
    }
}

/// A folder of answers; or none, which remembers nothing.
pub struct Cache {
    folder: Option<PathBuf>,
    limit: u64,
    written: AtomicU64,
    seen: Mutex<HashMap<PathBuf, Option<Seen>>>,
}

impl Cache {
    /// In `LOCKSTEP_CACHE_DIR`, `$XDG_CACHE_HOME/lockstep` or `~/.cache/lockstep`.
    pub fn open() -> Cache {
        let home = env::var_os("HOME").filter(|h| !h.is_empty());
        let xdg = env::var_os("XDG_CACHE_HOME").filter(|h| !h.is_empty()).map(PathBuf::from);
        let own = env::var_os("LOCKSTEP_CACHE_DIR").filter(|h| !h.is_empty()).map(PathBuf::from);
        let usual =
            || Some(xdg.or_else(|| Some(PathBuf::from(home?).join(".cache")))?.join("lockstep"));
        own.or_else(usual).map_or_else(Cache::off, Cache::at)
    }

    pub fn at(folder: PathBuf) -> Cache {
        let megabytes = env::var("LOCKSTEP_CACHE_MB").ok().and_then(|v| v.parse::<u64>().ok());
        Cache {
            folder: Some(folder.join(FORMAT)),
            limit: megabytes.map_or(DEFAULT_LIMIT, |m| m << 20),
            written: AtomicU64::new(0),
            seen: Mutex::default(),
        }
    }

    pub fn off() -> Cache {
        Cache { folder: None, limit: 0, written: AtomicU64::new(0), seen: Mutex::default() }
    }

    pub fn is_on(&self) -> bool {
        self.folder.is_some()
    }

    fn path(&self, key: &Key) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(&key.0[..2]).join(&key.0[2..]))
    }

    pub fn get<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        let path = self.path(key)?;
        let bytes = fs::read(&path).ok()?;
        let (sum, body) = bytes.split_at_checked(64)?;
        if sum != hash(body).as_bytes() {
            return None;
        }
        let value = serde_json::from_slice(body).ok()?;
        touch(&path);
        Some(value)
    }

    pub fn put<T: Serialize>(&self, key: &Key, value: &T) {
        let Some(path) = self.path(key) else { return };
        if let Ok(body) = serde_json::to_vec(value)
            && store(&path, &body).is_ok()
        {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What a file holds, read once in the life of this value.
    pub fn seen(&self, path: &Path) -> Option<Seen> {
        let lock = || self.seen.lock().unwrap_or_else(|e| e.into_inner());
        let known = lock().get(path).cloned();
        known.unwrap_or_else(|| {
            let new = fs::read(path).ok().map(|bytes| Seen::of(&bytes));
            lock().insert(path.to_path_buf(), new.clone());
            new
        })
    }

    /// Brings the folder below its limit, if this run has added to it.
    pub fn trim(&self) {
        let Some(folder) =
            self.folder.as_ref().filter(|_| self.written.load(Ordering::Relaxed) > 0)
        else {
            return;
        };
        let mut entries = Vec::new();
        for shard in fs::read_dir(folder).into_iter().flatten().flatten() {
            let files = fs::read_dir(shard.path()).into_iter().flatten().flatten();
            entries.extend(files.filter_map(|f| {
                let meta = f.metadata().ok()?;
                Some((meta.modified().ok()?, meta.len(), f.path()))
            }));
        }
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        if total <= self.limit {
            return;
        }
        entries.sort();
        for (_, size, path) in entries {
            if total <= self.limit / 4 * 3 {
                break;
            }
            let _ = fs::remove_file(path);
            total -= size;
        }
    }
}

fn store(path: &Path, body: &[u8]) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let fresh = folder.join(format!(".new-{}-{number}", process::id()));
    let bytes = [hash(body).as_bytes(), body].concat();
    let stored = fs::write(&fresh, bytes).and_then(|()| fs::rename(&fresh, path));
    if stored.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    stored
}

fn touch(path: &Path) {
    let old = || Some(fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()? > TOUCH_AFTER);
    if old() == Some(true)
        && let Ok(file) = fs::File::options().append(true).open(path)
    {
        let _ = file.set_modified(SystemTime::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        KeyBuilder::default().part("text", text.as_bytes()).finish()
    }

    #[test]
    fn parts_do_not_run_together() {
        let of = |parts: &[(&str, &str)]| {
            let mut key = KeyBuilder::default();
            parts.iter().for_each(|(l, b)| {
                key.part(l, b.as_bytes());
            });
            key.finish()
        };
        assert_ne!(of(&[("a", "bc")]), of(&[("a", "b"), ("", "c")]));
        assert_ne!(of(&[("a", "b")]), of(&[("ab", "")]));
        assert_eq!(of(&[("a", "b")]), of(&[("a", "b")]));
    }

    #[test]
    fn what_is_damaged_is_not_found() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path().to_path_buf());
        let k = key("x");
        assert_eq!(cache.get::<String>(&k), None);
        cache.put(&k, &"hello");
        assert_eq!(cache.get::<String>(&k).as_deref(), Some("hello"));
        assert_eq!(cache.get::<u32>(&k), None);
        let path = cache.path(&k).unwrap();
        for damage in [&b""[..], b"short", &[b'x'; 100]] {
            fs::write(&path, damage).unwrap();
            assert_eq!(cache.get::<String>(&k), None);
        }
        assert_eq!(Cache::off().get::<String>(&k), None);
    }

    #[test]
    fn the_oldest_go_first() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache { limit: 1000, ..Cache::at(dir.path().to_path_buf()) };
        let text = "y".repeat(300);
        for (i, name) in ["a", "b", "c"].into_iter().enumerate() {
            cache.put(&key(name), &text);
            let file =
                fs::File::options().append(true).open(cache.path(&key(name)).unwrap()).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(i as u64)).unwrap();
        }
        cache.trim();
        let has = |name: &str| cache.path(&key(name)).unwrap().exists();
        assert_eq!([has("a"), has("b"), has("c")], [false, true, true]);
    }
}
