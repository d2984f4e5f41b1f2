//! What the desktop says of itself: dark or light, and whether things may move.
//!
//! Asked of the settings portal (`org.freedesktop.portal.Settings`), since the window system does
//! not tell on X11 and not reliably on Wayland. Without a portal nothing is said.
//! Bound: the first answer is waited for only so long; a bus that hangs holds up nobody.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::StreamExt;
use zbus::proxy::SignalStream;
use zbus::zvariant::{OwnedValue, Value};
use zbus::{Connection, Proxy};

const PORTAL: &str = "org.freedesktop.portal.Desktop";
const PATH: &str = "/org/freedesktop/portal/desktop";
const INTERFACE: &str = "org.freedesktop.portal.Settings";
const APPEARANCE: &str = "org.freedesktop.appearance";
/// Where GNOME keeps whether things may move; the portal hands it on.
const GNOME: &str = "org.gnome.desktop.interface";

/// The first answer is not waited for longer.
const ANSWER_MAX: Duration = Duration::from_millis(300);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Nothing where the desktop has no preference.
    pub is_dark: Option<bool>,
    pub reduces_motion: bool,
}

/// Tells the look, and each change of it, until it is dropped; ends where there is no portal.
pub async fn watch(mut tell: impl AsyncFnMut(Look)) {
    let Ok(Ok((portal, mut changes))) = tokio::time::timeout(ANSWER_MAX, portal()).await else {
        return;
    };
    let mut known = Look::default();
    loop {
        let Ok(Some(look)) = tokio::time::timeout(ANSWER_MAX, read(&portal)).await else {
            return;
        };
        if look != known {
            known = look;
            tell(look).await;
        }
        // Which of them has changed does not matter: all are read again.
        if changes.next().await.is_none() {
            return;
        }
    }
}

async fn portal() -> zbus::Result<(Proxy<'static>, SignalStream<'static>)> {
    let bus = Connection::session().await?;
    let portal = Proxy::new_owned(bus, PORTAL, PATH, INTERFACE).await?;
    // Before the first reading, so that nothing is missed between.
    let changes = portal.receive_signal("SettingChanged").await?;
    Ok((portal, changes))
}

type Namespaces = HashMap<String, HashMap<String, OwnedValue>>;

async fn read(portal: &Proxy<'_>) -> Option<Look> {
    let wanted: &[&str] = &[APPEARANCE, GNOME];
    let all: Namespaces = portal.call("ReadAll", &(wanted,)).await.ok()?;
    Some(look_of(&all))
}

fn look_of(all: &Namespaces) -> Look {
    let value = |namespace: &str, key: &str| all.get(namespace)?.get(key);
    let number = |namespace, key| match value(namespace, key).map(|value| &**value) {
        Some(Value::U32(number)) => Some(*number),
        _ => None,
    };
    let animates = match value(GNOME, "enable-animations").map(|value| &**value) {
        Some(Value::Bool(on)) => *on,
        _ => true,
    };
    Look {
        // 1 prefers dark, 2 light, 0 neither, by the portal's description.
        is_dark: match number(APPEARANCE, "color-scheme") {
            Some(1) => Some(true),
            Some(2) => Some(false),
            _ => None,
        },
        reduces_motion: number(APPEARANCE, "reduced-motion") == Some(1) || !animates,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(members: &[(&str, &str, Value<'_>)], expected: Look) {
        let mut all = Namespaces::new();
        for (namespace, key, value) in members {
            let value = value.try_to_owned().expect("no file handle");
            all.entry((*namespace).to_owned())
                .or_default()
                .insert((*key).to_owned(), value);
        }
        assert_eq!(look_of(&all), expected);
    }

    #[test]
    fn the_portal_is_understood() {
        let dark = Look {
            is_dark: Some(true),
            reduces_motion: false,
        };
        check(&[(APPEARANCE, "color-scheme", Value::U32(1))], dark);
        let calm = Look {
            is_dark: Some(false),
            reduces_motion: true,
        };
        check(
            &[
                (APPEARANCE, "color-scheme", Value::U32(2)),
                (GNOME, "enable-animations", Value::Bool(false)),
            ],
            calm,
        );
        check(&[], Look::default());
        let strange = Value::from("dark");
        check(&[(APPEARANCE, "color-scheme", strange)], Look::default());
    }
}
