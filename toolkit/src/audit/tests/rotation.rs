//! One file after another, and a file that goes away.

use super::*;

#[test]
fn a_file_that_is_full_is_followed_by_the_next() {
    let folder = Folder::new();
    let path = folder.file();
    let long = "x".repeat(300);
    let open = |keep: Option<usize>| {
        let builder = Jsonl::builder(&path).max_bytes(180);
        keep.map_or(builder.clone(), |keep| builder.keep(keep)).open().unwrap()
    };
    let audit = open(None);
    // Two fit; a long one is whole in a file of its own.
    write(&audit, &["a", "b", "c", &long, "d", "e"]).unwrap();
    let rotated = |numbers: std::ops::RangeInclusive<u32>| {
        let mut names: Vec<_> = numbers.map(|number| format!("audit.{number:07}.jsonl")).collect();
        names.push("audit.jsonl".to_owned());
        names
    };
    assert_eq!(folder.names(), rotated(1..=3));
    assert_eq!(words(&path), ["a", "b", "c", &long, "d", "e"]);
    for name in folder.names() {
        let text = fs::read_to_string(folder.0.join(name)).unwrap();
        assert!(text.ends_with('\n') && text.lines().all(|l| l.starts_with("{\"kind\":")));
    }
    drop(audit);
    // Another run goes on where this one ended, and keeps what it is told to.
    write(&open(Some(2)), &["f", "g"]).unwrap();
    assert_eq!(folder.names(), rotated(3..=4));
    assert_eq!(words(&path), [&long, "d", "e", "f", "g"]);
    write(&open(Some(0)), &["h", "i"]).unwrap();
    assert_eq!(folder.names(), ["audit.jsonl"]);
}

#[test]
fn a_rotation_that_ends_half_way_is_taken_up() {
    let folder = Folder::new();
    let path = folder.file();
    let open = || Jsonl::builder(&path).max_bytes(100).keep(2).open().unwrap();
    write(&open(), &["a", "b", "c"]).unwrap();
    assert_eq!(folder.names().len(), 3);
    // Renamed, and nothing begun yet.
    fs::rename(&path, folder.0.join("audit.0000003.jsonl")).unwrap();
    assert_eq!(words(&path), ["a", "b", "c"]);
    // Begun, and nothing deleted yet.
    let audit = open();
    assert_eq!(words(&path), ["a", "b", "c"]);
    write(&audit, &["d"]).unwrap();
    assert_eq!(words(&path), ["a", "b", "c", "d"]);
    write(&audit, &["e"]).unwrap();
    assert_eq!(words(&path), ["c", "d", "e"]);
}

#[cfg(unix)]
#[test]
fn a_rotation_that_fails_loses_nothing() {
    let folder = Folder::new();
    let path = folder.file();
    let audit = Jsonl::builder(&path).max_bytes(100).open().unwrap();
    write(&audit, &["a"]).unwrap();
    // No file can take the place of a folder, nor a number that is none.
    fs::create_dir(folder.0.join("audit.9999999.jsonl")).unwrap();
    write(&audit, &["b"]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2, "all numbers are taken");
    fs::remove_dir(folder.0.join("audit.9999999.jsonl")).unwrap();
    write(&audit, &["c"]).unwrap();
    assert_eq!(words(&path), ["a", "b", "c"]);
    assert_eq!(folder.names(), ["audit.0000001.jsonl", "audit.jsonl"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_moved_away_is_made_anew() {
    let folder = Folder::new();
    let path = folder.file();
    let audit = Jsonl::open(&path).unwrap();
    write(&audit, &["a"]).unwrap();
    let away = folder.0.join("away.jsonl");
    fs::rename(&path, &away).unwrap();
    write(&audit, &["b"]).unwrap();
    fs::remove_file(&path).unwrap();
    write(&audit, &["c"]).unwrap();
    assert_eq!((words(&away), words(&path)), (vec!["a".to_owned()], vec!["c".to_owned()]));
    // Its whole folder: told until it is there again, and then how much is missing.
    fs::remove_dir_all(&folder.0).unwrap();
    let error = write(&audit, &["d", "e"]).unwrap_err();
    assert!(error.contains("audit.jsonl"), "{error}");
    fs::create_dir(&folder.0).unwrap();
    write(&audit, &["f"]).unwrap();
    assert_eq!(words(&path), ["lost 2", "f"]);
    // And it is ours once more.
    assert!(matches!(Jsonl::open(&path), Err(AuditError::Taken { .. })));
}
