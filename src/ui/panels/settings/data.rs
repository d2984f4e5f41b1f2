//! What the view of settings shows: choices in groups, and where things are kept.

use crate::app::State;
use crate::app::command::{Command, SettingsCommand, Zoom};
use crate::app::state::{Density, LanguageChoice, Motion, Times};
use crate::config::settings::{CHANGES_MINUTES, LIVE_SECS, ThemeChoice};
use crate::domain::Duration;
use crate::present::say::{Language, say};
use crate::present::span;

#[derive(Clone, Debug, PartialEq)]
pub struct SettingsData {
    pub groups: Vec<Group>,
    /// What is kept where: a word and a path.
    pub places: Vec<(String, String)>,
    /// The file cannot be read: a sentence.
    pub trouble: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub title: String,
    pub items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub label: String,
    /// What it means, where the label does not say it.
    pub hint: String,
    pub choices: Vec<Choice>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub word: String,
    pub is_chosen: bool,
    pub command: Command,
}

pub fn settings_data(state: &State) -> SettingsData {
    SettingsData {
        groups: vec![look(state), rows(state), reading(state), changing(state)],
        places: places(state),
        trouble: state.settings_broken.then(|| say!("settings-not-saved")),
    }
}

fn item(label: String, hint: String, choices: Vec<Choice>) -> Item {
    Item {
        label,
        hint,
        choices,
    }
}

fn choice(word: String, is_chosen: bool, command: SettingsCommand) -> Choice {
    Choice {
        word,
        is_chosen,
        command: Command::Settings(command),
    }
}

fn look(state: &State) -> Group {
    let settings = &state.settings;
    let theme = |word, theme| {
        let command = SettingsCommand::Theme(theme);
        choice(word, settings.theme == theme, command)
    };
    let language = |word, language| {
        let command = SettingsCommand::Language(language);
        choice(word, settings.language == language, command)
    };
    let motion = |word, motion| {
        let command = SettingsCommand::Motion(motion);
        choice(word, settings.motion == motion, command)
    };
    let zoom = |word, is_chosen, step| choice(word, is_chosen, SettingsCommand::Zoom(step));
    let percent = format!("{:.0} %", state.zoom() * 100.0);
    Group {
        title: say!("settings-look"),
        items: vec![
            item(
                say!("settings-theme"),
                say!("settings-theme-hint"),
                vec![
                    theme(say!("settings-system"), ThemeChoice::System),
                    theme(say!("settings-dark"), ThemeChoice::Dark),
                    theme(say!("settings-light"), ThemeChoice::Light),
                ],
            ),
            item(
                say!("settings-language"),
                say!("settings-language-hint"),
                vec![
                    language(say!("settings-system"), LanguageChoice::System),
                    language(Language::English.name().to_owned(), LanguageChoice::English),
                    language(Language::Russian.name().to_owned(), LanguageChoice::Russian),
                ],
            ),
            item(
                say!("settings-zoom"),
                "Ctrl +   Ctrl −   Ctrl 0".to_owned(),
                vec![
                    zoom(say!("settings-smaller"), false, Zoom::Out),
                    zoom(percent, true, Zoom::Usual),
                    zoom(say!("settings-larger"), false, Zoom::In),
                ],
            ),
            item(
                say!("settings-motion"),
                say!("settings-motion-hint"),
                vec![
                    motion(say!("settings-system"), Motion::System),
                    motion(say!("settings-motion-full"), Motion::Full),
                    motion(say!("settings-motion-reduced"), Motion::Reduced),
                ],
            ),
        ],
    }
}

fn rows(state: &State) -> Group {
    let settings = &state.settings;
    let density = |word, density| {
        let command = SettingsCommand::Density(density);
        choice(word, settings.density == density, command)
    };
    let times = |word, times| {
        let command = SettingsCommand::Times(times);
        choice(word, settings.times == times, command)
    };
    Group {
        title: say!("settings-rows"),
        items: vec![
            item(
                say!("settings-density"),
                "Ctrl D".to_owned(),
                vec![
                    density(say!("settings-compact"), Density::Compact),
                    density(say!("settings-normal"), Density::Normal),
                    density(say!("settings-roomy"), Density::Roomy),
                ],
            ),
            item(
                say!("settings-times"),
                "T".to_owned(),
                vec![
                    times(say!("settings-ages"), Times::Ages),
                    times(say!("settings-local"), Times::Local),
                    times("UTC".to_owned(), Times::Utc),
                ],
            ),
        ],
    }
}

fn reading(state: &State) -> Group {
    let chosen = state.settings.live_secs;
    let word = |secs| match secs {
        0 => say!("settings-by-hand"),
        secs => span::sentence(Duration::secs(i64::from(secs))),
    };
    let mut listed = LIVE_SECS.to_vec();
    if !listed.contains(&chosen) {
        // Somebody wrote another pace into the file.
        listed.push(chosen);
    }
    let choices = listed
        .into_iter()
        .map(|secs| choice(word(secs), secs == chosen, SettingsCommand::Live(secs)));
    Group {
        title: say!("settings-reading"),
        items: vec![item(
            say!("settings-live"),
            say!("settings-live-hint"),
            choices.collect(),
        )],
    }
}

fn changing(state: &State) -> Group {
    let chosen = state.settings.changes_minutes;
    let mut listed = CHANGES_MINUTES.to_vec();
    if !listed.contains(&chosen) {
        listed.push(chosen);
    }
    let choices = listed.into_iter().map(|minutes| {
        let word = span::sentence(Duration::secs(i64::from(minutes) * 60));
        choice(
            word,
            minutes == chosen,
            SettingsCommand::ChangesFor(minutes),
        )
    });
    Group {
        title: say!("settings-changing"),
        items: vec![item(
            say!("settings-changes-for"),
            say!("settings-changes-for-hint"),
            choices.collect(),
        )],
    }
}

fn places(state: &State) -> Vec<(String, String)> {
    let folders = &state.folders;
    let place = |word, path: &Option<String>| Some((word, path.clone()?));
    [
        place(say!("settings-kept-config"), &folders.config),
        place(say!("settings-kept-data"), &folders.data),
        place(say!("settings-kept-state"), &folders.state),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::say::speak;

    /// Each item in a line, what is chosen in brackets.
    fn text(state: &State) -> String {
        let data = settings_data(state);
        let mut text = String::new();
        for group in data.groups {
            text.push_str(&format!("{}\n", group.title));
            for item in group.items {
                let words = item.choices.iter().map(|choice| match choice.is_chosen {
                    true => format!("[{}]", choice.word),
                    false => choice.word.clone(),
                });
                let words = words.collect::<Vec<_>>().join(" ");
                text.push_str(&format!("  {}: {words}\n", item.label));
            }
        }
        text
    }

    #[test]
    fn what_is_chosen_is_marked() {
        let mut state = State::default();
        state.settings.live_secs = 17;
        assert_eq!(
            text(&state),
            "Look\n\
             \x20 Theme: [System] Dark Light\n\
             \x20 Language: [System] English Русский\n\
             \x20 Zoom: Smaller [100 %] Larger\n\
             \x20 Motion: [System] Full Reduced\n\
             Rows\n\
             \x20 Density: Compact [Normal] Roomy\n\
             \x20 Times: [Ages] Local UTC\n\
             Reading\n\
             \x20 Read again: By hand 5 s 10 s 30 s 1 min [17 s]\n\
             Changes\n\
             \x20 Production for: 5 min [15 min] 30 min 1 h\n"
        );
    }

    #[test]
    fn it_speaks_russian() {
        speak(Language::Russian);
        let text = text(&State::default());
        speak(Language::English);
        assert!(
            text.starts_with("Вид\n  Тема: [Как в системе] Тёмная Светлая\n"),
            "{text}"
        );
    }
}
