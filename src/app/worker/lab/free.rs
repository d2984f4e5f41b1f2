//! The shop kept open, and a fleet of clients against it, until it is let go of.
//!
//! Apart from runs because it has no end of its own.

use std::sync::Arc;
use std::time::Duration;

use super::{Scratch, scratch};
use crate::app::effect::FreeJob;
use crate::app::event::{Event, LabEvent};
use crate::app::start::Reading;
use crate::app::worker::out::Out;
use crate::lab::fleet::{Fleet, FleetView};
use crate::lab::service::{Ground, Service, Wanted};
use crate::lab::shop::StoreChoice;
use crate::sys::env;

/// How often it is told how things stand.
const TOLD_EVERY: Duration = Duration::from_millis(500);

pub async fn run(job: FreeJob, reading: Arc<Reading>, out: Out) {
    let generation = job.generation;
    let tell = async |answer: Result<FleetView, String>| {
        let event = LabEvent::Free { generation, answer };
        out.send(Event::Lab(event)).await;
    };
    let (service, _scratch) = match serve(&job, &reading).await {
        Ok(served) => served,
        Err(why) => return tell(Err(why)).await,
    };
    let fleet = Fleet::start(job.plan, &service.addresses, &service.world);
    loop {
        let view = fleet.view();
        let is_over = view.is_over;
        tell(Ok(view)).await;
        if is_over {
            return;
        }
        tokio::time::sleep(TOLD_EVERY).await;
    }
}

async fn serve(job: &FreeJob, reading: &Reading) -> Result<(Service, Scratch), String> {
    let scratch = scratch(reading)?;
    let program = reading.program.clone().or_else(env::program);
    let program = program.ok_or("this program cannot be started again by its own path")?;
    let wanted = Wanted {
        program,
        store: StoreChoice::Sqlite {
            path: scratch.0.join("lab.sqlite"),
        },
        ground: Ground::Emptied,
        switches: job.switches.clone(),
        port: 0,
        instances: job.instances,
        execution_ms: 10,
    };
    Ok((Service::start(&wanted).await?, scratch))
}
