//! Small files: read with a bound, written so that only the owner can read them.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

/// A text file of at most `bytes_max`.
///
/// Errors: it cannot be opened, is larger, or is not UTF-8.
pub fn read_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    let mut text = String::new();
    let read = fs::File::open(path)?
        .take(bytes_max + 1)
        .read_to_string(&mut text)?;
    if read as u64 > bytes_max {
        return Err(io::Error::other(format!("larger than {bytes_max} bytes")));
    }
    Ok(text)
}

/// Any file of at most `bytes_max`; a longer one comes one byte longer than that.
pub fn read_bytes(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(bytes_max + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same of a file that the program looks for by itself: a pipe that stands there is not waited
/// for.
pub fn read_own_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    read_text(path, bytes_max)
}

/// Files in a folder with this extension, in order of their names; none where there is no folder.
pub fn list(folder: &Path, extension: &str) -> Vec<std::path::PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    paths
}

/// Makes a folder that only its owner can enter.
pub fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes a folder that everybody may enter and only its owner may change.
pub fn passable_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o755);
    builder.create(path)
}

/// Folders in a folder, in order of their names; none where there is no folder.
pub fn folders_in(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    paths.sort();
    paths
}

/// Removes a folder with all that is in it.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path)
}

/// Sees that only its owner can enter a folder that is there.
pub fn make_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if is_open_to_others(path) {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Whether others than the owner can read a file; false where that cannot be told.
pub fn is_open_to_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// The same for a private key, which the administrator may have lent to a group.
pub fn is_key_open_to_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        fs::metadata(path).is_ok_and(|meta| {
            let open = if meta.uid() == 0 { 0o037 } else { 0o077 };
            meta.permissions().mode() & open != 0
        })
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Writes a file through a temporary one beside it, so that it is there whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("new");
    let mut file = fs::File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}

/// As [`write_whole`], for its owner only. A link is followed, not replaced.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let temporary = path.with_extension("new");
    // What a crash left behind may be readable by others.
    let _ = fs::remove_file(&temporary);
    let mut file = create_private(&temporary)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    let replaced = written.and_then(|()| fs::rename(&temporary, &path));
    if replaced.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

/// Keeps others from changing what belongs to a lock file, until the answer is dropped.
///
/// Errors: somebody else has had it for some seconds.
pub fn lock(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::other("another program keeps it locked"))
}

const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// Makes a new file that only its owner can read.
///
/// Errors: there is one of that name, or it cannot be made.
pub fn create_private(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Puts a finished file in the place of another in one step.
pub fn replace(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

pub fn exists(path: &Path) -> bool {
    path.exists()
}
