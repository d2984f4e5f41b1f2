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
pub async fn watch(tell: impl AsyncFnMut(Look)) {
    let bus = tokio::time::timeout(ANSWER_MAX, Connection::session()).await;
    if let Ok(Ok(bus)) = bus {
        watch_on(bus, tell).await;
    }
}

async fn watch_on(bus: Connection, mut tell: impl AsyncFnMut(Look)) {
    let Ok(Ok((portal, mut changes))) = tokio::time::timeout(ANSWER_MAX, portal(bus)).await else {
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

async fn portal(bus: Connection) -> zbus::Result<(Proxy<'static>, SignalStream<'static>)> {
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

    /// A bus of its own, ended when it is dropped.
    struct Bus(std::process::Child, String);

    impl Bus {
        fn start() -> Bus {
            use std::io::{BufRead, BufReader};
            let mut bus = std::process::Command::new("dbus-daemon")
                .args(["--session", "--nofork", "--print-address=1"])
                .stdout(std::process::Stdio::piped())
                .spawn()
                .expect("dbus-daemon is installed");
            let mut line = String::new();
            let out = bus.stdout.take().expect("a pipe");
            BufReader::new(out)
                .read_line(&mut line)
                .expect("an address");
            Bus(bus, line.trim().to_owned())
        }

        async fn connect(&self) -> Connection {
            let builder = zbus::connection::Builder::address(self.1.as_str());
            builder.expect("an address").build().await.expect("the bus")
        }
    }

    impl Drop for Bus {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// A portal that says what it is told.
    struct Portal(u32);

    #[zbus::interface(name = "org.freedesktop.portal.Settings")]
    impl Portal {
        fn read_all(&self, _namespaces: Vec<String>) -> Namespaces {
            let value = Value::U32(self.0).try_to_owned().expect("a number");
            let keys = HashMap::from([("color-scheme".to_owned(), value)]);
            Namespaces::from([(APPEARANCE.to_owned(), keys)])
        }

        #[zbus(signal)]
        async fn setting_changed(
            emitter: &zbus::object_server::SignalEmitter<'_>,
            namespace: &str,
            key: &str,
            value: Value<'_>,
        ) -> zbus::Result<()>;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_portal_is_followed_and_none_is_no_trouble() {
        let bus = Bus::start();
        // Nobody has the name yet: the watch ends by itself.
        watch_on(bus.connect().await, async |_| panic!("nobody is there")).await;
        let served = bus.connect().await;
        let server = served.object_server();
        server.at(PATH, Portal(1)).await.expect("an object");
        served.request_name(PORTAL).await.expect("the name");
        let (out, mut looks) = tokio::sync::mpsc::channel(4);
        let watched = bus.connect().await;
        let watching = tokio::spawn(watch_on(watched, async move |look: Look| {
            let _ = out.send(look.is_dark).await;
        }));
        assert_eq!(looks.recv().await, Some(Some(true)));
        let portal = server
            .interface::<_, Portal>(PATH)
            .await
            .expect("it is there");
        portal.get_mut().await.0 = 2;
        let emitter = portal.signal_emitter();
        let told = Portal::setting_changed(emitter, APPEARANCE, "color-scheme", Value::U32(2));
        told.await.expect("the signal is sent");
        assert_eq!(looks.recv().await, Some(Some(false)));
        watching.abort();
    }

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
