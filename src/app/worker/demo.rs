//! The demo store grows while somebody looks: a shop of the lab writes into it.
//!
//! Apart from the stores because it is the only one that is ours to fill.

use std::sync::Arc;

use super::Out;
use super::stores::{Slot, current};
use crate::app::event::{ConnectEvent, Event};
use crate::app::start::Reading;
use crate::lab::demo;
use crate::sys::env;

/// The shop that fills the demo store, started with its first record.
pub(super) type DemoShop = Arc<tokio::sync::Mutex<Option<Result<demo::LiveShop, String>>>>;

pub(super) async fn add_demo(
    reading: Arc<Reading>,
    out: Out,
    (slot, shop): (Slot, DemoShop),
    generation: u64,
) {
    let Some(path) = current(&slot).and_then(|open| open.demo) else {
        return;
    };
    let mut shop = shop.lock().await;
    if shop.is_none() {
        let program = reading.program.clone().or_else(env::program);
        *shop = Some(match program {
            Some(program) => demo::LiveShop::open(program, &path).await,
            None => Err("this program does not know its own path".to_owned()),
        });
    }
    match shop.as_mut() {
        Some(Ok(shop)) => shop.next().await,
        // A demo store that cannot grow is still worth looking at.
        _ => {
            let _ = demo::add_one(&path, generation).await;
        }
    }
    out.send(Event::Connect(ConnectEvent::DemoTried { generation }))
        .await;
}
