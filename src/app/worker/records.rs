//! Reads one record whole.
//!
//! Apart from `stores` because it is asked for while a reading of all is under way.

use std::sync::Arc;

use super::Out;
use super::stores::{Slot, current};
use crate::app::event::{Event, LayoutsEvent, RecordEvent};
use crate::app::remote::Failure;
use crate::app::state::source_name;
use crate::domain::raw::RawAddress;
use crate::inspect::show;
use crate::layouts::Source;

pub(super) async fn open_record(out: Out, slot: Slot, generation: u64, address: RawAddress) {
    let Some(open) = current(&slot) else { return };
    let sources: Vec<Arc<Source>> = open.sources().into_iter().map(Arc::new).collect();
    let event = match show::open(&open.session, &sources, &address).await {
        Ok(whole) => RecordEvent::Opened {
            generation,
            whole: whole.map(Arc::new),
        },
        Err(error) => RecordEvent::Failed {
            generation,
            failure: error.into(),
        },
    };
    out.send(Event::Record(event)).await;
}

/// Reads an example as one source reads it, whether that is switched on or not.
pub(super) async fn open_sample(
    out: Out,
    slot: Slot,
    generation: u64,
    name: String,
    address: String,
) {
    let Some(open) = current(&slot) else { return };
    let named = open
        .sources
        .iter()
        .find(|source| source_name(source) == name);
    let Some(mut source) = named.cloned() else {
        return;
    };
    open.overrides.apply(&mut source);
    let found = show::find(&open.session, &[Arc::new(source)], &address).await;
    let answer = match found {
        Ok(found) => Ok(found.into_iter().next().map(Arc::new)),
        Err(error) => Err(Failure::from(error)),
    };
    let event = LayoutsEvent::Sample { generation, answer };
    out.send(Event::Layouts(event)).await;
}
