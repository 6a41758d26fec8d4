//! What becomes of the file: torn, rotated, moved away, taken by another, on a full disk.

mod rotation;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::event::Event;
use crate::hook::Observer;

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "toolkit-audit-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("audit.jsonl")
    }

    /// The names of all files but the lock, in order.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.ends_with(".lock"))
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn event(tool: &str) -> Event {
    Event::Unregistered { tool: tool.into() }
}

/// Writes one record for each name; the last outcome.
fn write(audit: &Jsonl, tools: &[&str]) -> Result<(), String> {
    wait(async {
        let mut outcome = Ok(());
        for tool in tools {
            outcome = audit.observe(&event(tool)).await.map_err(|error| error.to_string());
        }
        outcome
    })
}

/// What the audit says, a word a record: the tool, or the kind of its own.
fn words(path: &Path) -> Vec<String> {
    read(path)
        .unwrap()
        .map(|record| {
            let record = record.unwrap();
            assert!(record["at"].as_str().unwrap().ends_with('Z'), "{record}");
            match record["kind"].as_str().unwrap() {
                "unregistered" => record["tool"].as_str().unwrap().to_owned(),
                "recovered" => format!("recovered {}", record["bytes"]),
                "lost" => format!("lost {}", record["records"]),
                other => other.to_owned(),
            }
        })
        .collect()
}

#[test]
fn a_line_is_written_before_it_is_acknowledged() {
    let folder = Folder::new();
    let audit = Jsonl::open(folder.file()).unwrap();
    for (at, tool) in ["a", "é\n→", "c"].iter().enumerate() {
        write(&audit, &[tool]).unwrap();
        assert_eq!(fs::read_to_string(folder.file()).unwrap().lines().count(), at + 1);
    }
    audit.observe_now(&event("d"));
    wait(audit.flush()).unwrap();
    assert_eq!(words(&folder.file()), ["a", "é\n→", "c", "d"]);
    // What nobody waits for is written before the last clone is gone.
    let other = audit.clone();
    drop(audit);
    for _ in 0..100 {
        other.observe_now(&event("e"));
    }
    drop(other);
    assert_eq!(words(&folder.file()).len(), 104);
}

#[test]
fn an_end_that_is_cut_anywhere_is_mended() {
    let folder = Folder::new();
    let path = folder.file();
    write(&Jsonl::open(&path).unwrap(), &["one", "zwei →", "three"]).unwrap();
    let whole = fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        write(&Jsonl::open(&path).unwrap(), &["next"]).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.ends_with('\n'));
        // Every line that was whole is there, byte for byte, its line feed included or not.
        let feeds = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
        let (lines, end) = (feeds(&whole[..cut]), whole[..cut].iter().rposition(|b| *b == b'\n'));
        let torn = cut - end.map_or(0, |at| at + 1);
        let whole_but_for_the_feed = torn > 0 && whole.get(cut) == Some(&b'\n');
        let mut expected: Vec<_> = ["one", "zwei →", "three"]
            [..lines + usize::from(whole_but_for_the_feed)]
            .iter()
            .map(ToString::to_string)
            .collect();
        if torn > 0 && !whole_but_for_the_feed {
            expected.push(format!("recovered {torn}"));
        }
        expected.push("next".to_owned());
        assert_eq!(words(&path), expected, "cut at {cut}");
        let kept = lines + usize::from(whole_but_for_the_feed);
        let before = whole.split_inclusive(|byte| *byte == b'\n').take(kept).flatten();
        assert!(text.bytes().zip(before).all(|(now, then)| now == *then));
    }
}

#[test]
fn what_is_torn_is_kept_in_part_however_long() {
    let folder = Folder::new();
    let path = folder.file();
    write(&Jsonl::open(&path).unwrap(), &["one"]).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    // Longer than a block of the search, and what a disk may leave behind.
    file.write_all(br#"{"kind":"unregistered","tool":""#).unwrap();
    file.write_all(&vec![0_u8; 200_000]).unwrap();
    file.write_all(b"\xc3").unwrap();
    drop(file);
    write(&Jsonl::open(&path).unwrap(), &["two"]).unwrap();
    assert_eq!(words(&path), ["one", "recovered 200032", "two"]);
    let torn = read(&path).unwrap().nth(1).unwrap().unwrap();
    let text = torn["torn"].as_str().unwrap();
    assert!(text.starts_with(r#"{"kind":"unregistered","tool":""#) && text.len() == 4096);
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    let folder = Folder::new();
    for text in ["hello", "[1]\n", "{\"a\": 1}\n", "\n"] {
        fs::write(folder.file(), text).unwrap();
        let error = Jsonl::open(folder.file()).unwrap_err();
        assert!(matches!(error, AuditError::NoAudit { .. }), "{error}");
        assert_eq!(fs::read_to_string(folder.file()).unwrap(), text);
    }
    let error = Jsonl::open(folder.0.join("nowhere/audit.jsonl")).unwrap_err();
    assert!(matches!(error, AuditError::Io { .. }), "{error}");
}

#[test]
fn a_file_has_one_writer() {
    let folder = Folder::new();
    let audit = Jsonl::open(folder.file()).unwrap();
    let error = Jsonl::open(folder.file()).unwrap_err();
    assert!(matches!(error, AuditError::Taken { .. }), "{error}");
    write(&audit, &["a"]).unwrap();
    drop(audit);
    write(&Jsonl::open(folder.file()).unwrap(), &["b"]).unwrap();
    assert_eq!(words(&folder.file()), ["a", "b"]);
}

#[test]
fn a_file_that_is_emptied_is_filled_again() {
    let folder = Folder::new();
    let path = folder.file();
    let audit = Jsonl::builder(&path).max_bytes(180).open().unwrap();
    write(&audit, &["a", "b"]).unwrap();
    // As a rotation from outside does it that copies and cuts.
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
    write(&audit, &["c", "d"]).unwrap();
    assert_eq!((words(&path), folder.names().len()), (vec!["c".to_owned(), "d".to_owned()], 1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    for fsync in [Fsync::Never, Fsync::Recorded, Fsync::Always] {
        let audit = Jsonl::builder("/dev/full").fsync(fsync).open().unwrap();
        let error = write(&audit, &["a"]).unwrap_err();
        assert!(error.contains("/dev/full: No space left on device"), "{error}");
        audit.observe_now(&event("b"));
        wait(audit.flush()).unwrap();
    }
    assert!(!Path::new("/dev/full.lock").exists());
}

#[cfg(unix)]
#[test]
fn a_new_file_is_for_its_owner_alone_and_a_rotation_keeps_what_was_set() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.file();
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    let audit = Jsonl::builder(&path).max_bytes(1).open().unwrap();
    write(&audit, &["a"]).unwrap();
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    write(&audit, &["b"]).unwrap();
    assert_eq!((mode(), folder.names().len()), (0o640, 2));
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_to_its_file() {
    let folder = Folder::new();
    fs::create_dir(folder.0.join("deep")).unwrap();
    let (link, target) = (folder.0.join("link"), folder.0.join("deep/audit.jsonl"));
    fs::File::create(&target).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let audit = Jsonl::builder(&link).max_bytes(1).open().unwrap();
    write(&audit, &["a", "b"]).unwrap();
    assert_eq!((words(&link), words(&target)), (words(&target), vec!["a".into(), "b".into()]));
    assert!(folder.0.join("deep/audit.0000001.jsonl").exists());
}

#[test]
fn a_reader_goes_on_behind_what_is_no_record() {
    let folder = Folder::new();
    let path = folder.file();
    fs::write(&path, "{\"kind\":\"a\"}\nnothing\n\n{\"kind\":\"b\"}\n{\"kind\":").unwrap();
    let told: Vec<_> = read(&path)
        .unwrap()
        .map(|record| record.map_or_else(|error| error.to_string(), |r| r["kind"].to_string()))
        .collect();
    let path = fs::canonicalize(&path).unwrap();
    let error = |line| format!("{}, line {line}: no record", path.display());
    assert_eq!(told, ["\"a\"".to_owned(), error(2), error(3), "\"b\"".to_owned()]);
    assert!(read(folder.0.join("nowhere.jsonl")).is_err());
}

#[test]
fn a_reader_beside_a_writer_reads_each_record_once() {
    let folder = Folder::new();
    let path = folder.file();
    let audit = Jsonl::builder(&path).max_bytes(400).fsync(Fsync::Never).open().unwrap();
    write(&audit, &["0"]).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 1..2_000 {
                write(&audit, &[&n.to_string()]).unwrap();
            }
        });
        while !writer.is_finished() {
            let read = words(&path);
            let expected: Vec<_> = (0..read.len()).map(|n| n.to_string()).collect();
            assert_eq!(read, expected);
        }
    });
    assert_eq!(words(&path).len(), 2_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever is written, in files of whatever size, cut wherever a crash may cut: every line is a
    /// record, and none that was whole is lost.
    #[test]
    fn no_crash_loses_a_whole_record(
        runs in prop::collection::vec(
            (prop::collection::vec("\\PC{0,40}", 0..6), 1_u64..600, any::<prop::sample::Index>()),
            1..6,
        ),
    ) {
        let folder = Folder::new();
        let path = folder.file();
        let mut expected: Vec<String> = Vec::new();
        for (tools, max_bytes, cut) in runs {
            let audit = Jsonl::builder(&path).max_bytes(max_bytes).fsync(Fsync::Never).open().unwrap();
            let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
            write(&audit, &tools).unwrap();
            drop(audit);
            expected.extend(tools.iter().map(ToString::to_string));
            let before: Vec<_> = words(&path).into_iter().filter(|w| !is_own(w)).collect();
            prop_assert_eq!(&before, &expected);
            // A crash in the last write, of which a part is in the file.
            let text = fs::read(&path).unwrap();
            let last = text[..text.len().saturating_sub(1)]
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1);
            let left = last + cut.index(text.len() - last + 1);
            fs::write(&path, &text[..left]).unwrap();
            let was_record = serde_json::from_slice::<Value>(&text[last..])
                .is_ok_and(|record| record["kind"] == "unregistered");
            if was_record && left + 1 < text.len() {
                expected.pop();
            }
        }
        drop(Jsonl::open(&path).unwrap());
        let after: Vec<_> = words(&path).into_iter().filter(|word| !is_own(word)).collect();
        prop_assert_eq!(after, expected);
    }
}

fn is_own(word: &str) -> bool {
    word.starts_with("recovered ")
}
