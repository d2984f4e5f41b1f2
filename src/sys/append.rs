//! A file that only grows, and is on the disk when it says so: the journal's.
//!
//! Apart from `files`, which writes small files whole. For its owner only.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

#[derive(Debug)]
pub struct AppendFile(File);

impl AppendFile {
    /// Makes a new file, and sees that its name is on the disk too.
    ///
    /// Errors: there is one of that name, or it cannot be made.
    pub fn create(path: &Path) -> io::Result<AppendFile> {
        let file = super::files::create_private(path)?;
        if let Some(folder) = path.parent() {
            sync_folder(folder)?;
        }
        Ok(AppendFile(file))
    }

    /// Goes on at the end of a file that is there. What a crash left of a last line is ended, so
    /// that the next one stands by itself.
    pub fn go_on(path: &Path) -> io::Result<AppendFile> {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        let length = file.metadata()?.len();
        if length > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(AppendFile(file))
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// A second handle, to wait for the disk without keeping others from writing.
    pub fn syncer(&self) -> io::Result<Syncer> {
        Ok(Syncer(self.0.try_clone()?))
    }
}

#[derive(Debug)]
pub struct Syncer(File);

impl Syncer {
    /// Waits until all that was written so far is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// One line of a file that is read line by line.
#[derive(Debug, PartialEq)]
pub enum Line {
    Whole(Vec<u8>),
    /// The file ends before the line does.
    Unfinished,
    /// Longer than what is read.
    TooLong,
}

/// Reads lines of at most `line_bytes_max` bytes, in order.
pub struct Lines {
    reader: BufReader<File>,
    line_bytes_max: u64,
}

impl Lines {
    pub fn open(path: &Path, line_bytes_max: u64) -> io::Result<Lines> {
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        Ok(Lines {
            reader: BufReader::with_capacity(1 << 16, File::open(path)?),
            line_bytes_max,
        })
    }

    /// The next line, without its end; `None` behind the last one.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        let mut line = Vec::new();
        let mut limited = (&mut self.reader).take(self.line_bytes_max + 1);
        let read = limited.read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            return Ok(Some(Line::Whole(line)));
        }
        Ok(Some(if read as u64 > self.line_bytes_max {
            Line::TooLong
        } else {
            Line::Unfinished
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_tail_is_told_and_gone_on_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jsonl");
        let mut file = AppendFile::create(&path).expect("a new file");
        file.write(b"one\ntwo").expect("written");
        drop(file);
        let mut lines = Lines::open(&path, 10).expect("readable");
        assert_eq!(
            lines.next_line().expect("read"),
            Some(Line::Whole(b"one".to_vec()))
        );
        assert_eq!(lines.next_line().expect("read"), Some(Line::Unfinished));
        let mut file = AppendFile::go_on(&path).expect("there");
        file.write(b"a line that is long\n").expect("written");
        file.syncer().expect("a handle").sync().expect("synced");
        let mut lines = Lines::open(&path, 10).expect("readable");
        lines.next_line().expect("read");
        assert_eq!(
            lines.next_line().expect("read"),
            Some(Line::Whole(b"two".to_vec()))
        );
        assert_eq!(lines.next_line().expect("read"), Some(Line::TooLong));
    }
}
