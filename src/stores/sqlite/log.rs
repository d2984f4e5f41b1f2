//! A table by pages in the order of time.

use futures_util::{FutureExt, StreamExt};
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Row, Sqlite};

use super::session::{Session, within};
use super::{SqliteStore, packed, push_row};
use crate::domain::raw::{ColumnWant, RawRows};
use crate::stores::StoreError;
use crate::stores::logs::{PageOrder, PageQuery, Tie, TieAt};
use crate::stores::sql::{column, from_table, limit, select_list};

/// A page ends early where its texts are long.
const PAGE_BYTES: usize = 8 << 20;

impl SqliteStore {
    pub async fn page(&self, query: &PageQuery) -> Result<RawRows, StoreError> {
        match self.page_at_once(query).await? {
            Some(rows) => Ok(rows),
            None => self.page_by_rows(query).await,
        }
    }

    /// The page in one value; `None` where it holds what is not packed into one.
    pub(super) async fn page_at_once(
        &self,
        query: &PageQuery,
    ) -> Result<Option<RawRows>, StoreError> {
        let wants = query.all_wants();
        let is_value = |want: &ColumnWant| matches!(want, ColumnWant::Value { .. });
        if !wants.iter().all(is_value) {
            return Ok(None);
        }
        let sql = packed::select(&wants, &rest(query));
        let mut session = Session::begin(self).await?;
        let found = bound(sql, query).fetch_one(session.connection());
        let row = within(self, found).await?;
        drop(session);
        let octets: i64 = row.try_get(1).map_err(|error| self.explain(&error))?;
        if octets != packed::OCTETS_OF_UTF8 {
            return Ok(None);
        }
        let packed: Option<&[u8]> = row
            .try_get_unchecked(0)
            .map_err(|error| self.explain(&error))?;
        Ok(packed::unpack(packed.unwrap_or_default(), &wants))
    }

    pub(super) async fn page_by_rows(&self, query: &PageQuery) -> Result<RawRows, StoreError> {
        let wants = query.all_wants();
        let sql = format!("SELECT {} {}", select_list(&wants, "TEXT"), rest(query));
        let mut session = Session::begin(self).await?;
        let mut found = bound(sql, query).fetch(session.connection());
        let mut rows = RawRows::new(wants.len());
        while let Some(row) = within(self, found.next().map(Option::transpose)).await? {
            push_row(&row, 0, &wants, &mut rows);
            if rows.bytes() > PAGE_BYTES {
                break;
            }
        }
        Ok(rows)
    }
}

/// The query of a page from its FROM on.
fn rest(query: &PageQuery) -> String {
    let (Tie::Number(number) | Tie::Address(number)) = &query.tie;
    let (time, number) = (column(&query.time), column(number));
    let (order, further) = match query.order {
        PageOrder::Time => (
            format!("{time}, {number}"),
            format!(" AND ({time}, {number}) > (?3, ?4)"),
        ),
        PageOrder::Number => (number.clone(), format!(" AND {number} > ?4")),
    };
    let further = query.after.as_ref().map_or("", |_| further.as_str());
    format!(
        "FROM {table} WHERE {time} >= ?1 AND {time} < ?2{further} ORDER BY {order} LIMIT {limit}",
        table = from_table(&query.schema, &query.table),
        limit = limit(query.limit),
    )
}

fn bound(sql: String, query: &PageQuery) -> Query<'static, Sqlite, SqliteArguments> {
    let bound = sqlx::query(AssertSqlSafe(sql))
        .bind(query.begin())
        .bind(query.end());
    let Some(after) = &query.after else {
        return bound;
    };
    // A row's address is a number here, too.
    let number = match &after.tie {
        TieAt::Number(number) => *number,
        TieAt::First | TieAt::Address(_) => i64::MIN,
    };
    match after.between {
        Some(time) => bound.bind(time).bind(number),
        None => bound.bind(after.time).bind(number),
    }
}
