//! A table by pages in the order of time.

use futures_util::{FutureExt, StreamExt};
use sqlx::AssertSqlSafe;

use super::session::{Session, within};
use super::{SqliteStore, push_row};
use crate::domain::raw::RawRows;
use crate::stores::StoreError;
use crate::stores::logs::{PageOrder, PageQuery, Tie, TieAt};
use crate::stores::sql::{column, from_table, limit, select_list};

/// A page ends early where its texts are long.
const PAGE_BYTES: usize = 8 << 20;

impl SqliteStore {
    pub async fn page(&self, query: &PageQuery) -> Result<RawRows, StoreError> {
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
        let wants = query.all_wants();
        let sql = format!(
            "SELECT {list} FROM {table} WHERE {time} >= ?1 AND {time} < ?2{further} \
             ORDER BY {order} LIMIT {limit}",
            list = select_list(&wants, "TEXT"),
            table = from_table(&query.schema, &query.table),
            limit = limit(query.limit),
        );
        let mut statement = sqlx::query(AssertSqlSafe(sql))
            .bind(query.from_ms)
            .bind(query.to_ms);
        if let Some(after) = &query.after {
            // A row's address is a number here, too.
            let number = match &after.tie {
                TieAt::Number(number) => *number,
                TieAt::First | TieAt::Address(_) => i64::MIN,
            };
            statement = statement.bind(after.time).bind(number);
        }
        let mut session = Session::begin(self).await?;
        let mut found = statement.fetch(session.connection());
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
