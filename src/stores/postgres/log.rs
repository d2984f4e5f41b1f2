//! A table by pages in the order of time, and what the server counts of a table.

use sqlx::{AssertSqlSafe, Row};

use super::session::{Session, Statement};
use super::{PostgresStore, cell};
use crate::domain::raw::{ColumnKind, RawRows};
use crate::stores::logs::{PageOrder, PageQuery, TableCounts, Tie, TieAt, Untold};
use crate::stores::sql::{column, from_table, limit, quoted_table, select_list};
use crate::stores::{StoreError, StoreErrorKind};

impl PostgresStore {
    /// Errors: the column of times is of another kind.
    pub async fn page(&self, query: &PageQuery) -> Result<RawRows, StoreError> {
        let sql = page_sql(query)?;
        let unit = match query.time_kind {
            ColumnKind::Int => 1,
            _ => 1_000,
        };
        let mut session = self.sessions.begin(Statement::Short).await?;
        let mut statement = sqlx::query(AssertSqlSafe(sql))
            .persistent(false)
            .bind(query.from_ms.saturating_mul(unit))
            .bind(query.to_ms.saturating_mul(unit));
        if let Some(after) = &query.after {
            if query.order == PageOrder::Time {
                statement = statement.bind(after.time);
            }
            statement = match &after.tie {
                TieAt::First if query.order == PageOrder::Time => statement,
                TieAt::First => statement.bind(i64::MIN),
                TieAt::Number(number) => statement.bind(*number),
                TieAt::Address(address) => statement.bind(address.clone()),
            };
        }
        let found = statement.fetch_all(&mut session.connection);
        let found = self.sessions.within(found).await?;
        session.end().await;
        let wants = query.all_wants();
        let mut rows = RawRows::new(wants.len());
        for row in &found {
            for (at, want) in wants.iter().enumerate() {
                rows.push(cell(row, at, want));
            }
        }
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

fn page_sql(query: &PageQuery) -> Result<String, StoreError> {
    let (Tie::Number(tie) | Tie::Address(tie)) = &query.tie;
    let (time, tie) = (column(&query.time), column(tie));
    let moment = |bind: usize| match query.time_kind {
        ColumnKind::Int => Some(format!("${bind}")),
        ColumnKind::Time => Some(format!(
            "(timestamptz 'epoch' + ${bind} * interval '1 microsecond')"
        )),
        ColumnKind::NaiveTime => Some(format!(
            "(timestamp 'epoch' + ${bind} * interval '1 microsecond')"
        )),
        _ => None,
    };
    let (Some(from), Some(to), Some(after)) = (moment(1), moment(2), moment(3)) else {
        let text = format!("the column `{}` holds no times", query.time);
        return Err(StoreError::new(StoreErrorKind::Protocol, text));
    };
    let order = match query.order {
        PageOrder::Time => format!("{time}, {tie}"),
        PageOrder::Number => tie.clone(),
    };
    let further = match (query.order, query.after.as_ref().map(|after| &after.tie)) {
        (_, None) => String::new(),
        (PageOrder::Number, Some(_)) => format!(" AND {tie} > $3"),
        (PageOrder::Time, Some(TieAt::First)) => format!(" AND {time} >= {after}"),
        (PageOrder::Time, Some(TieAt::Number(_))) => {
            format!(" AND ({time}, {tie}) > ({after}, $4)")
        }
        (PageOrder::Time, Some(TieAt::Address(_))) => {
            format!(" AND ({time}, {tie}) > ({after}, CAST(CAST($4 AS text) AS tid))")
        }
    };
    Ok(format!(
        "SELECT {list} FROM {table} WHERE {time} >= {from} AND {time} < {to}{further} \
         ORDER BY {order} LIMIT {limit}",
        list = select_list(&query.all_wants(), "text"),
        table = from_table(&query.schema, &query.table),
        limit = limit(query.limit),
    ))
}
