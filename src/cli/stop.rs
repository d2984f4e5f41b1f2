//! The wish that a command ends: from the keyboard, from a supervisor, or with its terminal.

/// Waits for an interrupt, a termination or a hang-up. Poll one for the whole time: a signal between
/// two of them would be lost.
pub async fn asked_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let ended = signal(SignalKind::terminate());
        let hung_up = signal(SignalKind::hangup());
        if let (Ok(mut ended), Ok(mut hung_up)) = (ended, hung_up) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = ended.recv() => {}
                _ = hung_up.recv() => {}
            }
            return;
        }
    }
    // Without a handler the signal ends the process by itself.
    let _ = tokio::signal::ctrl_c().await;
}
