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
    var("USER").or_else(|| var("LOGNAME")).or_else(|| {
        // libpq asks the system; the environment of a service may not say.
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
        let ids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
        let id = ids.split_whitespace().next()?;
        let line = passwd
            .lines()
            .find(|line| line.split(':').nth(2) == Some(id))?;
        line.split(':').next().map(str::to_owned)
    })
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
