//! Environment variables.

/// A variable's value; empty counts as unset, as does one that is not text.
pub fn var(name: &str) -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    let value = std::env::var(name);
    value.ok().filter(|value| !value.is_empty())
}

/// The name of the person who is logged in.
pub fn user_name() -> Option<String> {
    // The environment of a service may not say.
    var("USER").or_else(|| var("LOGNAME")).or_else(system_user)
}

/// Whom the system runs this as, as libpq asks it.
pub fn system_user() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    // The one that counts comes behind the real one.
    let id = ids.split_whitespace().nth(1)?;
    let line = passwd
        .lines()
        .find(|line| line.split(':').nth(2) == Some(id))?;
    line.split(':').next().map(str::to_owned)
}

/// The name of this machine.
pub fn host_name() -> Option<String> {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = told.map(|name| name.trim().to_owned());
    name.filter(|name| !name.is_empty())
        .or_else(|| var("HOSTNAME"))
        .or_else(|| var("COMPUTERNAME"))
}

/// The path of this program, to start it once more.
pub fn program() -> Option<std::path::PathBuf> {
    std::env::current_exe().ok()
}

/// A program by its name, in these folders or on the path.
pub fn program_named(name: &str, folders: &[std::path::PathBuf]) -> Option<std::path::PathBuf> {
    let path = var("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path);
    let mut found = folders.iter().cloned().chain(on_path);
    found.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
}

/// Whether this program may do anything on this machine.
pub fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    ids.and_then(|ids| ids.split_whitespace().nth(1)) == Some("0")
}

/// Whether there is a process of this number; true where that cannot be told.
pub fn is_running(pid: &str) -> bool {
    let all = std::path::Path::new("/proc/self");
    !all.exists() || std::path::Path::new("/proc").join(pid).exists()
}
