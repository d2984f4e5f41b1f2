//! Settings area: what a person likes, one change at a time.

use crate::app::command::{ColumnsCommand, SettingsCommand, Zoom};
use crate::app::effect::Effect;
use crate::app::state::{Over, Place, State};
use crate::app::view::{ChosenColumn, ColumnName, chosen_columns, keep_columns};
use crate::config::settings::{
    COLUMN_MAX, COLUMN_MIN, PANEL_MAX, PANEL_MIN, Settings, ZOOM_MAX, ZOOM_MIN,
};

const ZOOM_STEP: f32 = 0.1;

pub fn command(state: &mut State, command: SettingsCommand) -> Vec<Effect> {
    let settings = &mut state.settings;
    match command {
        SettingsCommand::Show => state.view.place = Place::Settings,
        SettingsCommand::Theme(theme) => {
            settings.theme = theme;
            state.theme_of_run = None;
        }
        SettingsCommand::Language(language) => settings.language = language,
        SettingsCommand::Density(density) => settings.density = density,
        SettingsCommand::Times(times) => settings.times = times,
        SettingsCommand::Motion(motion) => settings.motion = motion,
        SettingsCommand::ChangesFor(minutes) => settings.changes_minutes = minutes.clamp(1, 240),
        SettingsCommand::Live(secs) => {
            settings.live_secs = secs;
            return super::keys::pace_changed(state);
        }
        SettingsCommand::Zoom(zoom) => {
            let now = state.zoom_of_run.take().unwrap_or(settings.zoom);
            let wanted = match zoom {
                Zoom::In => now + ZOOM_STEP,
                Zoom::Out => now - ZOOM_STEP,
                Zoom::Usual => 1.0,
            };
            // Tenths, whatever was there before.
            settings.zoom = ((wanted * 10.0).round() / 10.0).clamp(ZOOM_MIN, ZOOM_MAX);
        }
        SettingsCommand::PanelWidth(width) if width.is_finite() => {
            settings.panel_width = width.clamp(PANEL_MIN, PANEL_MAX).round();
        }
        SettingsCommand::PanelWidth(_) => {}
        SettingsCommand::Columns(command) => columns(state, command),
    }
    Vec::new()
}

fn columns(state: &mut State, command: ColumnsCommand) {
    let settings = &mut state.settings;
    let mut list = chosen_columns(settings);
    match command {
        ColumnsCommand::Ask => {
            state.view.over = Some(Over::Columns);
            return;
        }
        ColumnsCommand::Toggle(name) => change(&mut list, name, |column| {
            column.is_shown = !column.is_shown || name.is_kept();
        }),
        ColumnsCommand::Width(name, width) => change(&mut list, name, |column| {
            column.width = width
                .filter(|width| width.is_finite())
                .map(|width| width.clamp(COLUMN_MIN, COLUMN_MAX).round());
        }),
        ColumnsCommand::Before { name, other } => before(&mut list, name, other),
        ColumnsCommand::By { name, by } => by_steps(&mut list, name, by),
        ColumnsCommand::Usual => list = chosen_columns(&Settings::default()),
    }
    keep_columns(settings, &list);
}

fn change(list: &mut [ChosenColumn], name: ColumnName, change: impl FnOnce(&mut ChosenColumn)) {
    if let Some(column) = list.iter_mut().find(|column| column.name == name) {
        change(column);
    }
}

/// Puts a column in front of another one; at the end where there is no other.
fn before(list: &mut Vec<ChosenColumn>, name: ColumnName, other: Option<ColumnName>) {
    if other == Some(name) {
        return;
    }
    let Some(from) = list.iter().position(|column| column.name == name) else {
        return;
    };
    let column = list.remove(from);
    let to = other.and_then(|other| list.iter().position(|column| column.name == other));
    list.insert(to.unwrap_or(list.len()), column);
}

fn by_steps(list: &mut Vec<ChosenColumn>, name: ColumnName, by: i64) {
    let Some(from) = list.iter().position(|column| column.name == name) else {
        return;
    };
    let last = list.len() as i64 - 1;
    let to = (from as i64).saturating_add(by).clamp(0, last);
    let column = list.remove(from);
    list.insert(to as usize, column);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Command;
    use crate::app::start::Theme;
    use crate::app::update;
    use crate::config::settings::ThemeChoice;

    fn send(state: &mut State, command: SettingsCommand) -> Vec<Effect> {
        update::command(state, Command::Settings(command))
    }

    fn shown(state: &State) -> String {
        let list = chosen_columns(&state.settings);
        let shown = list.iter().filter(|column| column.is_shown);
        let names: Vec<&str> = shown.map(|column| column.name.name()).collect();
        names.join(" ")
    }

    #[test]
    fn a_change_is_kept_and_a_look_is_not() {
        let mut state = State::default();
        let light = SettingsCommand::Theme(ThemeChoice::Light);
        let effects = send(&mut state, light.clone());
        assert!(matches!(effects.as_slice(), [Effect::SaveSettings(_)]));
        assert_eq!(state.theme(), Theme::Light);
        assert!(send(&mut state, light).is_empty());
        assert!(send(&mut state, SettingsCommand::Show).is_empty());
    }

    #[test]
    fn nothing_is_written_over_a_file_that_could_not_be_read() {
        let mut state = State {
            settings_broken: true,
            ..State::default()
        };
        let effects = send(&mut state, SettingsCommand::Theme(ThemeChoice::Light));
        assert!(effects.is_empty());
    }

    #[test]
    fn zoom_goes_by_tenths_and_ends() {
        let mut state = State::default();
        send(&mut state, SettingsCommand::Zoom(Zoom::In));
        assert_eq!(state.settings.zoom, 1.1);
        for _ in 0..100 {
            send(&mut state, SettingsCommand::Zoom(Zoom::Out));
        }
        assert_eq!(state.settings.zoom, ZOOM_MIN);
        send(&mut state, SettingsCommand::Zoom(Zoom::Usual));
        assert_eq!(state.settings.zoom, 1.0);
    }

    #[test]
    fn columns_are_moved_hidden_and_widened() {
        let mut state = State::default();
        let columns = SettingsCommand::Columns;
        let (key, hash) = (ColumnName::Key, ColumnName::Hash);
        let other = Some(key);
        send(
            &mut state,
            columns(ColumnsCommand::Before { name: hash, other }),
        );
        assert!(shown(&state).starts_with("status hash key scope"));
        send(
            &mut state,
            columns(ColumnsCommand::By { name: hash, by: -9 }),
        );
        assert!(shown(&state).starts_with("hash status key"));
        send(&mut state, columns(ColumnsCommand::Toggle(hash)));
        send(&mut state, columns(ColumnsCommand::Toggle(key)));
        assert!(shown(&state).starts_with("status key scope"));
        send(
            &mut state,
            columns(ColumnsCommand::Width(key, Some(f32::INFINITY))),
        );
        send(&mut state, columns(ColumnsCommand::Width(key, Some(1e9))));
        let list = chosen_columns(&state.settings);
        let width = list.iter().find(|column| column.name == key);
        assert_eq!(width.and_then(|column| column.width), Some(COLUMN_MAX));
        send(&mut state, columns(ColumnsCommand::Usual));
        assert!(state.settings.columns.is_empty());
    }
}
