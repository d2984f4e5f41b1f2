//! A transaction that stays open for as long as a test wants, as a live request's does.

use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection};

use super::postgres::Server;

impl Server {
    /// Begins a transaction with this SQL and leaves it open until the answer is dropped.
    pub fn hold(&self, database: &str, sql: &str) -> Hold {
        let (held, is_held) = std::sync::mpsc::sync_channel(1);
        let (release, released) = std::sync::mpsc::sync_channel::<()>(1);
        let options = self.socket_options(database);
        let sql = format!("BEGIN; {sql}");
        let work = async move {
            let mut connection: PgConnection = options.connect().await.expect("a connection");
            let begun = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection);
            begun.await.expect("SQL of a test");
            held.send(()).expect("somebody waits");
            // An error says that the holder was dropped.
            let _ = tokio::task::spawn_blocking(move || released.recv()).await;
            sqlx::Connection::close(connection).await.expect("closed");
        };
        let thread = std::thread::Builder::new().name("hold".to_owned());
        let thread = thread.spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().expect("a runtime");
            runtime.block_on(work);
        });
        is_held.recv().expect("the transaction is open");
        Hold {
            release: Some(release),
            thread: thread.ok(),
        }
    }
}

/// A transaction that is open; dropping this rolls it back.
pub struct Hold {
    release: Option<std::sync::mpsc::SyncSender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.release = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
