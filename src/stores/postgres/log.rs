//! A table by pages in the order of time, and what the server counts of a table.

use futures_util::{FutureExt, StreamExt};
use sqlx::{AssertSqlSafe, PgConnection, Row};

use super::PostgresStore;
use super::copy::Tuples;
use super::session::{Session, Sessions, Statement};
use crate::domain::raw::{ColumnKind, ColumnWant, RawRows};
use crate::stores::logs::{PageOrder, PageQuery, TableCounts, Tie, TieAt, Untold};
use crate::stores::sql::{column, from_table, limit, quoted_table, select_list};
use crate::stores::{StoreError, StoreErrorKind};

impl PostgresStore {
    /// By COPY, which costs the server and us less a row than an answer to a query.
    ///
    /// Errors: the column of times is of another kind.
    pub async fn page(&self, query: &PageQuery) -> Result<RawRows, StoreError> {
        let select = page_sql(query)?;
        let mut session = self.sessions.begin(Statement::Short).await?;
        let wants = query.all_wants();
        let rows = copied(&self.sessions, &mut session.connection, &select, &wants).await?;
        session.end().await;
        Ok(rows)
    }

    pub async fn counts(&self, schema: &str, table: &str) -> Result<TableCounts, Untold> {
        let begun = self.sessions.begin(Statement::Short).await;
        let mut session = begun.map_err(|_| Untold::NoRights)?;
        let counts = sqlx::query(
            "SELECT n_tup_ins, n_tup_upd, n_tup_del, n_dead_tup FROM pg_catalog.pg_stat_user_tables \
             WHERE relid = to_regclass($1)",
        )
        .persistent(false)
        .bind(quoted_table(schema, table))
        .fetch_optional(&mut session.connection);
        let counts = self.sessions.within(counts).await;
        session.end().await;
        // What speaks the protocol only may not have this view.
        let row = counts.map_err(|_| Untold::NotByThisStore)?;
        let row = row.ok_or(Untold::NotByThisStore)?;
        let count = |at: usize| {
            let count: Result<i64, _> = row.try_get(at);
            count
                .ok()
                .and_then(|count| u64::try_from(count).ok())
                .unwrap_or(0)
        };
        Ok(TableCounts {
            inserted: count(0),
            updated: count(1),
            deleted: count(2),
            dead: count(3),
            claims: self.claims(table).await,
        })
    }

    /// Calls and rows of the statements that insert into a table of this name.
    async fn claims(&self, table: &str) -> Result<(u64, u64), Untold> {
        let begun = self.sessions.begin(Statement::Short).await;
        let mut session = begun.map_err(|_| Untold::NoRights)?;
        let place = sqlx::query_scalar(
            "SELECT quote_ident(n.nspname) || '.pg_stat_statements' FROM pg_catalog.pg_extension e \
             JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'",
        )
        .persistent(false)
        .fetch_optional(&mut session.connection);
        let place: Option<String> = match self.sessions.within(place).await {
            Ok(place) => place,
            Err(_) => return Err(Untold::NotByThisStore),
        };
        let Some(place) = place else {
            session.end().await;
            return Err(Untold::NotInstalled);
        };
        // The server quotes the schema itself; the name is bound.
        let sql = format!(
            "SELECT coalesce(sum(calls), 0)::bigint, coalesce(sum(rows), 0)::bigint FROM {place} \
             WHERE dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()) \
             AND query ~* ('insert\\s+into\\s+\\S*\\m' || $1 || '\\M')"
        );
        if self.hides_statements(&mut session, &place).await {
            session.end().await;
            return Err(Untold::NoRights);
        }
        let safe = table.chars().filter(|c| c.is_alphanumeric() || *c == '_');
        let sums = sqlx::query(AssertSqlSafe(sql))
            .persistent(false)
            .bind(safe.collect::<String>())
            .fetch_one(&mut session.connection);
        let sums = self
            .sessions
            .within(sums)
            .await
            .map_err(|_| Untold::NoRights)?;
        session.end().await;
        let sum = |at: usize| {
            let sum: Result<i64, _> = sums.try_get(at);
            sum.ok()
                .and_then(|sum| u64::try_from(sum).ok())
                .unwrap_or(0)
        };
        Ok((sum(0), sum(1)))
    }
}

impl PostgresStore {
    /// Whether others' statements are there that this login may not see: a sum would leave them out.
    async fn hides_statements(&self, session: &mut Session<'_>, place: &str) -> bool {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM {place} WHERE query = '<insufficient privilege>')"
        );
        let hides = sqlx::query_scalar(AssertSqlSafe(sql))
            .persistent(false)
            .fetch_one(&mut session.connection);
        self.sessions.within(hides).await.unwrap_or(true)
    }
}

/// The rows of one COPY. On an error the session is to be dropped, as whatever is still on its way
/// would be taken for the next answer.
async fn copied(
    sessions: &Sessions,
    connection: &mut PgConnection,
    select: &str,
    wants: &[ColumnWant],
) -> Result<RawRows, StoreError> {
    let wrong = |text: String| wrong(format!("COPY gave {text}"));
    let sql = format!("COPY ({select}) TO STDOUT (FORMAT binary)");
    let mut stream = sessions.within(connection.copy_out_raw(&sql)).await?;
    let mut tuples = Tuples::new(wants);
    let mut rows = RawRows::new(wants.len());
    while let Some(piece) = sessions
        .within(stream.next().map(Option::transpose))
        .await?
    {
        tuples.take(&piece, &mut rows).map_err(wrong)?;
    }
    tuples.end().map_err(wrong)?;
    Ok(rows)
}

/// COPY takes no parameters: numbers are written out, and an address that is none is refused.
fn page_sql(query: &PageQuery) -> Result<String, StoreError> {
    let (Tie::Number(tie) | Tie::Address(tie)) = &query.tie;
    let (time, tie) = (column(&query.time), column(tie));
    let order = match query.order {
        PageOrder::Time => format!("{time}, {tie}"),
        PageOrder::Number => tie.clone(),
    };
    let after = query.after.as_ref().map(|after| (after.time, &after.tie));
    let further = match (query.order, after) {
        // From its time on, which is where the page begins.
        (_, None) | (PageOrder::Time, Some((_, TieAt::First))) => String::new(),
        (PageOrder::Number, Some((_, last))) => format!(" AND {tie} > {}", tie_at(last)?),
        (PageOrder::Time, Some((at, last))) => {
            let (at, last) = (moment(query, at)?, tie_at(last)?);
            format!(" AND ({time}, {tie}) > ({at}, {last})")
        }
    };
    Ok(format!(
        "SELECT {list} FROM {table} WHERE {time} >= {from} AND {time} < {to}{further} \
         ORDER BY {order} LIMIT {limit}",
        list = select_list(&query.all_wants(), "text"),
        table = from_table(&query.schema, &query.table),
        from = moment(query, query.begin())?,
        to = moment(query, query.end())?,
        limit = limit(query.limit),
    ))
}

fn number(number: i64) -> String {
    format!("'{number}'::bigint")
}

/// A time in the unit of the column, as the column has it.
fn moment(query: &PageQuery, at: i64) -> Result<String, StoreError> {
    let since = |epoch: &str| format!("({epoch} + {} * interval '1 microsecond')", number(at));
    match query.time_kind {
        ColumnKind::Int => Ok(number(at)),
        ColumnKind::Time => Ok(since("timestamptz 'epoch'")),
        ColumnKind::NaiveTime => Ok(since("timestamp 'epoch'")),
        _ => Err(wrong(format!("the column `{}` holds no times", query.time))),
    }
}

fn tie_at(tie: &TieAt) -> Result<String, StoreError> {
    let is_of_address = |c: char| c.is_ascii_digit() || matches!(c, '(' | ',' | ')');
    match tie {
        TieAt::First => Ok(number(i64::MIN)),
        TieAt::Number(last) => Ok(number(*last)),
        TieAt::Address(last) if last.chars().all(is_of_address) => Ok(format!("'{last}'::tid")),
        TieAt::Address(last) => Err(wrong(format!("`{last}` is no address of a row"))),
    }
}

fn wrong(text: String) -> StoreError {
    StoreError::new(StoreErrorKind::Protocol, text)
}
