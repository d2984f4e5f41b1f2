//! Writes listed records into a file.
//!
//! Invariant: no file that is there is written over; one that was not finished is removed.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::Out;
use crate::app::effect::ExportJob;
use crate::app::event::{Event, ExportEvent};
use crate::app::state::ExportForm;
use crate::domain::Record;
use crate::inspect::Cancel;
use crate::present::record_json::{MEMBERS, record_json, record_members};
use crate::present::sheet::neutral;
use crate::sys::files;

/// Progress is told once in so many records.
const TOLD_EVERY: usize = 20_000;

/// Asks in the desktop's own dialog. Where there is none the answer is the same as when nothing
/// was chosen.
pub async fn browse(path: String, out: Out) {
    let path = chosen_path(path).await;
    out.send(Event::Export(ExportEvent::Browsed { path })).await;
}

pub async fn chosen_path(path: String) -> Option<String> {
    let path = Path::new(&path);
    let mut dialog = rfd::AsyncFileDialog::new();
    if let Some(folder) = path.parent().filter(|folder| folder.is_absolute()) {
        dialog = dialog.set_directory(folder);
    }
    if let Some(name) = path.file_name() {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    let chosen = dialog.save_file().await;
    chosen.map(|file| file.path().display().to_string())
}

pub fn export(job: &ExportJob, out: &Out, cancel: &Cancel) {
    let path = Path::new(&job.path);
    let answer = match files::create_private(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err("A file of that name is there".to_owned())
        }
        Err(error) => Err(format!("The file cannot be made: {error}")),
        Ok(file) => {
            let written = write(job, BufWriter::new(file), out, cancel);
            if written.is_err() || cancel.is_cancelled() {
                let _ = files::remove(path);
            }
            written.map_err(|error| format!("The file cannot be written: {error}"))
        }
    };
    if cancel.is_cancelled() {
        return;
    }
    let generation = job.generation;
    out.send_blocking(Event::Export(ExportEvent::Ended { generation, answer }));
}

fn write(
    job: &ExportJob,
    mut file: impl Write,
    out: &Out,
    cancel: &Cancel,
) -> std::io::Result<u64> {
    if job.form == ExportForm::Csv {
        csv_line(&mut file, MEMBERS.iter().map(|member| (*member).to_owned()))?;
    }
    let mut records = 0;
    for (at, id) in job.rows.iter().enumerate() {
        if cancel.is_cancelled() {
            break;
        }
        let Some(row) = job.snapshot.row(*id) else {
            continue;
        };
        record_line(&mut file, job, &row.record())?;
        records += 1;
        if (at + 1).is_multiple_of(TOLD_EVERY) {
            let generation = job.generation;
            let event = ExportEvent::Written {
                generation,
                records,
            };
            out.send_blocking(Event::Export(event));
        }
    }
    file.flush()?;
    Ok(records)
}

fn record_line(file: &mut impl Write, job: &ExportJob, record: &Record) -> std::io::Result<()> {
    match job.form {
        ExportForm::Csv => {
            let cells = record_members(record, job.now).into_iter();
            csv_line(file, cells.map(|(_, cell)| neutral(&cell)))
        }
        ExportForm::JsonLines => {
            serde_json::to_writer(&mut *file, &record_json(record, job.now))?;
            file.write_all(b"\n")
        }
    }
}

fn csv_line(file: &mut impl Write, cells: impl Iterator<Item = String>) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(cells.map(String::into_bytes))?;
    writer.flush()
}
