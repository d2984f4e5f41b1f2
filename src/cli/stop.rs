//! The wish that a command ends: from the keyboard, from a supervisor, or with its terminal.

/// Listens from the call on; what it gives waits for an interrupt, a termination or a hang-up. Ask for
/// one for the whole time, before anything is said: a signal before it ends the process.
pub fn asked_to_stop() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let listening = {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ];
        kinds.map(|kind| signal(kind).ok())
    };
    async move {
        #[cfg(unix)]
        if let [Some(mut interrupted), Some(mut ended), Some(mut hung_up)] = listening {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = ended.recv() => {}
                _ = hung_up.recv() => {}
            }
            return;
        }
        // Without a handler the signal ends the process by itself.
        let _ = tokio::signal::ctrl_c().await;
    }
}
