//! Claims that are held by an open transaction: others wait for it at the row, and a crash undoes
//! all that was done in it.
//!
//! Two positions of the lab rest on it: the row lock with waiting, and one transaction for claim,
//! effect and answer, where the effect stands in the same database.
//! Invariant: a transaction is held under its owner until it is saved or released.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, Postgres, Sqlite, Transaction};
use tokio::sync::Mutex;

use crate::guard::stores::{PostgresStore, SqliteStore};
use crate::guard::{Claim, Claimed, Fence, Saved, StoreTrouble, StoredAnswer, Ticket};
use crate::lab::engine::Engine;
use crate::stores::sql::{quoted, quoted_table};

/// The table of payments whose effect is local to the database.
const PAYMENTS: &str = "payments";

#[derive(Debug)]
enum Open {
    Postgres(Transaction<'static, Postgres>),
    Sqlite(Transaction<'static, Sqlite>),
}

/// The transactions that are open, by owner.
#[derive(Debug, Default)]
pub struct Held {
    open: Mutex<HashMap<String, Open>>,
}

fn trouble(error: sqlx::Error) -> StoreTrouble {
    StoreTrouble(format!("the transaction failed: {error}"))
}

fn no_transactions() -> StoreTrouble {
    StoreTrouble("this store has no transactions to hold".to_owned())
}

/// The name of the payments' table, quoted.
pub fn payments_table(schema: Option<&str>) -> String {
    schema.map_or_else(|| quoted(PAYMENTS), |schema| quoted_table(schema, PAYMENTS))
}

impl Held {
    pub async fn claim(&self, engine: &Engine, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        let (claimed, open) = match engine {
            Engine::Postgres(store) => begin_postgres(store, claim).await?,
            Engine::Sqlite(store) => begin_sqlite(store, claim).await?,
            _ => return Err(no_transactions()),
        };
        if let Claimed::Mine(_) = claimed {
            self.open.lock().await.insert(claim.owner.clone(), open);
        }
        // Any other transaction is undone here, which ends its locks.
        Ok(claimed)
    }

    pub async fn save(
        &self,
        engine: &Engine,
        ticket: &Ticket,
        answer: &StoredAnswer,
    ) -> Result<Saved, StoreTrouble> {
        let open = self.open.lock().await.remove(&ticket.owner);
        match (open, engine) {
            (Some(Open::Postgres(mut transaction)), Engine::Postgres(store)) => {
                let saved = store.save_in(&mut transaction, ticket, answer, Fence::Owner);
                let saved = saved.await?;
                transaction.commit().await.map_err(trouble)?;
                Ok(saved)
            }
            (Some(Open::Sqlite(mut transaction)), Engine::Sqlite(store)) => {
                let saved = store.save_in(&mut transaction, ticket, answer, Fence::Owner);
                let saved = saved.await?;
                transaction.commit().await.map_err(trouble)?;
                Ok(saved)
            }
            _ => Ok(Saved::NotOwner),
        }
    }

    /// Undoes everything: the claim, and the effect with it.
    pub async fn release(&self, owner: &str) -> Saved {
        match self.open.lock().await.remove(owner) {
            Some(_) => Saved::Saved,
            None => Saved::NotOwner,
        }
    }

    /// Books a payment within the transaction of its claim: the id.
    pub async fn book(
        &self,
        owner: &str,
        schema: Option<&str>,
        payment: &LocalPayment,
    ) -> Result<String, StoreTrouble> {
        let mut held = self.open.lock().await;
        let table = payments_table(schema);
        let insert = format!("INSERT INTO {table} (amount, recipient)");
        let number: i64 = match held.get_mut(owner) {
            Some(Open::Postgres(transaction)) => {
                let sql = format!("{insert} VALUES ($1, $2) RETURNING number");
                sqlx::query_scalar(AssertSqlSafe(sql))
                    .persistent(false)
                    .bind(payment.amount)
                    .bind(&payment.recipient)
                    .fetch_one(&mut **transaction)
                    .await
                    .map_err(trouble)?
            }
            Some(Open::Sqlite(transaction)) => {
                let sql = format!("{insert} VALUES (?1, ?2) RETURNING number");
                sqlx::query_scalar(AssertSqlSafe(sql))
                    .bind(payment.amount)
                    .bind(payment.recipient.clone())
                    .fetch_one(&mut **transaction)
                    .await
                    .map_err(trouble)?
            }
            None => return Err(no_transactions()),
        };
        Ok(local_id(number))
    }
}

/// What a payment of the shop's own database is called.
pub fn local_id(number: i64) -> String {
    format!("local_{number}")
}

/// A payment that is a row of the shop's own database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalPayment {
    pub amount: i64,
    pub recipient: String,
}

/// Makes the table of payments.
pub async fn prepare(engine: &Engine, schema: Option<&str>) -> Result<(), StoreTrouble> {
    let number = match engine {
        Engine::Postgres(_) => "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        _ => "INTEGER PRIMARY KEY",
    };
    let sql = format!(
        "CREATE TABLE IF NOT EXISTS {} (number {number}, amount bigint NOT NULL,
            recipient text NOT NULL)",
        payments_table(schema)
    );
    let sql = sqlx::raw_sql(AssertSqlSafe(sql));
    match engine {
        Engine::Postgres(store) => sql.execute(store.pool()).await.map(|_| ()),
        Engine::Sqlite(store) => sql.execute(store.pool()).await.map(|_| ()),
        _ => return Err(no_transactions()),
    }
    .map_err(trouble)
}

async fn begin_postgres(
    store: &PostgresStore,
    claim: &Claim,
) -> Result<(Claimed, Open), StoreTrouble> {
    let mut transaction = store.pool().begin().await.map_err(trouble)?;
    let claimed = store.claim_in(&mut transaction, claim).await?;
    Ok((claimed, Open::Postgres(transaction)))
}

async fn begin_sqlite(store: &SqliteStore, claim: &Claim) -> Result<(Claimed, Open), StoreTrouble> {
    let begun = store.pool().begin_with("BEGIN IMMEDIATE").await;
    let mut transaction = begun.map_err(trouble)?;
    let claimed = store.claim_in(&mut transaction, claim).await?;
    Ok((claimed, Open::Sqlite(transaction)))
}
