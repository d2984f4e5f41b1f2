//! App area: views, settings, notices, time.

use crate::app::command::{AppCommand, ExportCommand, KeysCommand, RecordCommand, StatsCommand};
use crate::app::effect::Effect;
use crate::app::event::{AppEvent, Event};
use crate::app::start::Theme;
use crate::app::state::{
    Density, Notice, Over, Place, Selection, SideBar, State, Then, Times, Wish,
};
use crate::config::Wanted;
use crate::config::settings::ThemeChoice;

/// How long a notice stays.
const NOTICE_MS: u64 = 6_000;
const NOTICES_MAX: usize = 4;

pub fn command(state: &mut State, command: AppCommand) -> Vec<Effect> {
    let settings = &mut state.settings;
    match command {
        AppCommand::ShowKeys if state.connection.store.value().is_some() => {
            state.view.place = Place::Keys;
            return super::record::follow(state);
        }
        AppCommand::ShowKeys => {}
        AppCommand::StepBack => return step_back(state),
        AppCommand::FoldSideBar => {
            settings.side_bar = match settings.side_bar {
                SideBar::Folded => SideBar::Open,
                SideBar::ByRoom | SideBar::Open => SideBar::Folded,
            };
        }
        AppCommand::ShowKeysPage => {
            state.view.over = match state.view.over {
                Some(Over::KeysPage) => None,
                _ => Some(Over::KeysPage),
            };
        }
        AppCommand::ShowCopyAs => state.view.over = Some(Over::CopyAs),
        AppCommand::NextDensity => {
            settings.density = match settings.density {
                Density::Compact => Density::Normal,
                Density::Normal => Density::Roomy,
                Density::Roomy => Density::Compact,
            };
        }
        AppCommand::NextTimes => {
            settings.times = match settings.times {
                Times::Ages => Times::Local,
                Times::Local => Times::Utc,
                Times::Utc => Times::Ages,
            };
        }
        AppCommand::OtherTheme => other_theme(state),
        AppCommand::GoBack => {
            let here = state.view.place;
            state.view.place = state.view.way.back(here).unwrap_or(here);
            return super::record::follow(state);
        }
        AppCommand::GoForward => {
            let here = state.view.place;
            state.view.place = state.view.way.forward(here).unwrap_or(here);
            return super::record::follow(state);
        }
        AppCommand::DismissNotice(number) => {
            state.notices.list.retain(|notice| notice.number != number);
        }
        AppCommand::Quit => return quit(state),
        AppCommand::QuitAnyway => {
            let mut effects = super::repair::steer(state, Wish::Stop);
            effects.push(Effect::Quit);
            return effects;
        }
    }
    Vec::new()
}

fn other_theme(state: &mut State) {
    let other = match state.theme() {
        Theme::Dark => Theme::Light,
        Theme::Light => Theme::Dark,
    };
    // The projector has its own.
    if state.projector().is_some() {
        state.lab.projector = Some(other);
        return;
    }
    state.settings.theme = match other {
        Theme::Dark => ThemeChoice::Dark,
        Theme::Light => ThemeChoice::Light,
    };
    state.theme_of_run = None;
}

/// Asks first where something would be lost, or cut short.
fn quit(state: &mut State) -> Vec<Effect> {
    if super::editor::unsaved(state).is_some() {
        return super::editor::ask_before(state, Then::Quit);
    }
    if super::repair::is_under_way(state) {
        state.view.over = Some(Over::StopRun);
        return Vec::new();
    }
    vec![Effect::Quit]
}

/// What lies over everything, else the page of connecting, else the filter, else the panel.
fn step_back(state: &mut State) -> Vec<Effect> {
    if state.view.over == Some(Over::Repair) {
        return super::repair::leave(state);
    }
    if state.view.over.take().is_some() {
        state.repair.typed_to_turn_on.clear();
        state.locks.form = None;
        state.lab.form = None;
        state.lab.saving = None;
        state.stats.saving = None;
        state.editor.then = Then::Leave;
        if state.export.running.is_some() {
            return super::export::command(state, ExportCommand::Cancel);
        }
        return Vec::new();
    }
    if !state.selection.is_empty() && matches!(state.view.place, Place::Keys | Place::Locks) {
        state.selection = Selection::default();
        return Vec::new();
    }
    if state.view.place == Place::Editor {
        return super::editor::step_back(state);
    }
    if state.view.place == Place::Layouts {
        state.view.place = Place::Keys;
        return super::record::follow(state);
    }
    if state.projector().is_some() {
        state.lab.projector = None;
        return Vec::new();
    }
    if state.view.place == Place::Lab
        && let Some(effects) = super::lab::step_back(state)
    {
        return effects;
    }
    if state.view.place == Place::Stats && state.stats.picked.is_some() {
        return super::stats::command(state, StatsCommand::Unpick);
    }
    if matches!(
        state.view.place,
        Place::Settings | Place::Journal | Place::Lab | Place::Stats
    ) {
        let is_open = state.connection.store.value().is_some();
        state.view.place = if is_open { Place::Keys } else { Place::Connect };
        return super::record::follow(state);
    }
    if state.view.place == Place::Locks {
        return super::record::command(state, RecordCommand::Close);
    }
    if state.view.place == Place::Connect {
        let effects = super::connect::stop_opening(state);
        if effects.is_empty() && state.connection.store.value().is_some() {
            state.view.place = Place::Keys;
        }
        return effects;
    }
    if !state.keys.filter.is_empty() || state.keys.standing.is_some() {
        return super::keys::command(state, KeysCommand::ClearFilter);
    }
    if state.keys.list.is_some() {
        return super::keys::command(state, KeysCommand::DropList);
    }
    super::record::command(state, RecordCommand::Close)
}

pub fn event(state: &mut State, event: AppEvent) -> Vec<Effect> {
    match event {
        AppEvent::Tick { here, offset } => {
            state.clock.here = here;
            state.clock.offset = offset;
            super::lab::tick(state);
            return super::changes::tick(state);
        }
        AppEvent::NoticeOver { number } => {
            state.notices.list.retain(|notice| notice.number != number);
        }
        AppEvent::Say { text } => return vec![notice(state, text)],
        AppEvent::Called { target } => {
            let mut effects = match target {
                Some(target) => {
                    let wanted = Wanted {
                        target: Some(target),
                        ..Wanted::default()
                    };
                    super::connect::open(state, wanted)
                }
                None => Vec::new(),
            };
            effects.push(Effect::Raise);
            return effects;
        }
        AppEvent::Desktop {
            theme,
            reduces_motion,
        } => {
            state.desktop.theme = theme;
            state.desktop.reduces_motion = reduces_motion;
        }
    }
    Vec::new()
}

pub fn notice(state: &mut State, text: impl Into<String>) -> Effect {
    let notices = &mut state.notices;
    notices.last += 1;
    let number = notices.last;
    let text = text.into();
    notices.list.retain(|notice| notice.text != text);
    if notices.list.len() >= NOTICES_MAX {
        notices.list.remove(0);
    }
    notices.list.push(Notice { number, text });
    Effect::Later {
        after_ms: NOTICE_MS,
        event: Box::new(Event::App(AppEvent::NoticeOver { number })),
    }
}
