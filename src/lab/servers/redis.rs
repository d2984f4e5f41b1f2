//! A private Redis, and what can be done to it: restart, fill, evict, promote.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use super::held::{Folder, Held};
use super::{free_port, missing};
use crate::lab::run::NotRun;
use crate::lab::scenario::{Memory, OwnServer, Persistence};
use crate::sys::env;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(15);
const EVERY: Duration = Duration::from_millis(10);
/// Values that others write, and how many at once.
const FILLER_BYTES: usize = 1_024;
const FILLERS: usize = 500;
/// Rounds of fillers before it is given up.
const ROUNDS_MAX: usize = 400;

#[derive(Debug)]
pub struct PrivateRedis {
    // Before the folder: the process ends first.
    held: Option<Held>,
    port: u16,
    arguments: Vec<String>,
    folder: Folder,
}

/// What a server is started with, beside its port and folder.
pub fn arguments(server: &OwnServer) -> Vec<String> {
    let persistence: &[&str] = match server.persistence {
        Persistence::None => &["--appendonly", "no"],
        Persistence::Aof => &["--appendonly", "yes", "--appendfsync", "always"],
    };
    let memory: &[&str] = match server.memory {
        Memory::Unbounded => &[],
        Memory::AllkeysLru => &["--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru"],
        Memory::Noeviction => &["--maxmemory", "4mb", "--maxmemory-policy", "noeviction"],
    };
    // A replica that is synchronized over the disk has its first write at once.
    let always = ["--save", "", "--repl-diskless-sync", "no"];
    let all = always.iter().chain(persistence).chain(memory);
    all.map(|word| (*word).to_owned()).collect()
}

fn text(error: impl std::fmt::Display) -> NotRun {
    NotRun::Failed(format!("the lab's Redis: {error}"))
}

impl PrivateRedis {
    pub async fn start(arguments: Vec<String>) -> Result<PrivateRedis, NotRun> {
        let mut redis = PrivateRedis {
            held: None,
            port: 0,
            arguments,
            folder: Folder::new()?,
        };
        for _ in 0..5 {
            redis.port = free_port().await?;
            redis.launch()?;
            if redis.answers().await {
                return Ok(redis);
            }
        }
        Err(NotRun::Failed("the lab's Redis does not answer".to_owned()))
    }

    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    fn launch(&mut self) -> Result<(), NotRun> {
        let program = env::program_named("redis-server", &[]);
        let program = program.ok_or_else(|| missing("redis-server"))?;
        let folder = self.folder.0.display().to_string();
        let port = self.port.to_string();
        let mut command = vec![program.display().to_string()];
        let place = ["--bind", "127.0.0.1", "--port", &port, "--dir", &folder];
        command.extend(place.map(str::to_owned));
        command.extend(self.arguments.iter().cloned());
        // What was there before has ended by now.
        self.held = Some(Held::start(&self.folder.0, "KILL", &command)?);
        Ok(())
    }

    async fn connect(&self) -> redis::RedisResult<redis::aio::MultiplexedConnection> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}", self.port))?;
        // Each write is on the disk before it is answered, and the disk may be busy.
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
        client
            .get_multiplexed_async_connection_with_config(&config)
            .await
    }

    async fn answers(&self) -> bool {
        let is_there = async {
            loop {
                if let Ok(mut connection) = self.connect().await
                    && redis::cmd("PING").exec_async(&mut connection).await.is_ok()
                {
                    return;
                }
                tokio::time::sleep(EVERY).await;
            }
        };
        tokio::time::timeout(PATIENCE, is_there).await.is_ok()
    }

    /// Kills it and starts it again: what it has then is what it kept on the disk.
    pub async fn restart(&mut self) -> Result<(), NotRun> {
        self.stop();
        self.launch()?;
        match self.answers().await {
            true => Ok(()),
            false => Err(NotRun::Failed(
                "the lab's Redis did not come back".to_owned(),
            )),
        }
    }

    /// Kills it; its folder stays.
    pub fn stop(&mut self) {
        if let Some(held) = self.held.take() {
            held.end_keeping();
        }
    }

    /// Writes until no key with this start is left: how many there were. Waits for the first one.
    pub async fn evict(&self, start: &str) -> Result<u64, NotRun> {
        let mut connection = self.connect().await.map_err(text)?;
        let mut before = 0;
        for _ in 0..ROUNDS_MAX {
            before = self.keys(&mut connection, start).await?;
            if before > 0 {
                break;
            }
            tokio::time::sleep(EVERY).await;
        }
        for round in 0..ROUNDS_MAX {
            if self.keys(&mut connection, start).await? == 0 {
                return Ok(before);
            }
            self.write(&mut connection, round).await.map_err(text)?;
        }
        Err(NotRun::Failed("the record was not evicted".to_owned()))
    }

    async fn keys(
        &self,
        connection: &mut redis::aio::MultiplexedConnection,
        start: &str,
    ) -> Result<u64, NotRun> {
        let mut command = redis::cmd("KEYS");
        command.arg(format!("{start}*"));
        let found: Vec<Vec<u8>> = command.query_async(connection).await.map_err(text)?;
        Ok(found.len() as u64)
    }

    async fn write(
        &self,
        connection: &mut redis::aio::MultiplexedConnection,
        round: usize,
    ) -> redis::RedisResult<()> {
        let mut pipe = redis::pipe();
        let filler = vec![b'.'; FILLER_BYTES];
        for n in 0..FILLERS {
            pipe.set(format!("others:{round}:{n}"), &filler).ignore();
        }
        pipe.exec_async(connection).await
    }

    /// Writes until it takes no more.
    pub async fn fill(&self) -> Result<(), NotRun> {
        let mut connection = self.connect().await.map_err(text)?;
        for round in 0..ROUNDS_MAX {
            match self.write(&mut connection, round).await {
                Ok(()) => {}
                Err(error) if error.to_string().contains("OOM") => {
                    return self.leave_no_room(&mut connection).await.map_err(text);
                }
                Err(error) => return Err(text(error)),
            }
        }
        Err(NotRun::Failed("the lab's Redis never was full".to_owned()))
    }

    /// The buffers of whoever filled it were memory too, and are free again.
    async fn leave_no_room(
        &self,
        connection: &mut redis::aio::MultiplexedConnection,
    ) -> redis::RedisResult<()> {
        let mut set = redis::cmd("CONFIG");
        set.arg("SET").arg("maxmemory").arg("2500kb");
        set.exec_async(connection).await
    }

    /// Waits until it has what its primary has.
    pub async fn follows(&self, primary: &PrivateRedis) -> Result<(), NotRun> {
        let mut there = primary.connect().await.map_err(text)?;
        let mut here = self.connect().await.map_err(text)?;
        let mark = format!("others:mark:{}", fastrand::u32(..));
        let mut set = redis::cmd("SET");
        set.arg(&mark).arg(1);
        set.exec_async(&mut there).await.map_err(text)?;
        let has_it = async {
            loop {
                let mut exists = redis::cmd("EXISTS");
                exists.arg(&mark);
                if exists.query_async::<i64>(&mut here).await.unwrap_or(0) == 1 {
                    return;
                }
                tokio::time::sleep(EVERY).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, has_it).await;
        waited.map_err(|_| NotRun::Failed("the lab's replica does not follow".to_owned()))
    }

    /// Is a primary from now on.
    pub async fn take_over(&self) -> Result<(), NotRun> {
        let mut connection = self.connect().await.map_err(text)?;
        let mut command = redis::cmd("REPLICAOF");
        command.arg("NO").arg("ONE");
        command.exec_async(&mut connection).await.map_err(text)
    }
}
