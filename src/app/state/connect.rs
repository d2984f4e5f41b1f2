//! The page of connecting: what is kept and found, and the form of one connection.
//!
//! Invariant: `Debug` shows no password: texts that may hold one are secrets.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Opened, Place, StoreId};
use crate::app::remote::{Failure, Remote};
use crate::config::address::{Address, fields};
use crate::config::connections::is_address;
use crate::config::found::Found;
use crate::config::{self, Book, Colour, TargetOptions};
use crate::domain::Secret;
use crate::stores::target::Look;

#[derive(Debug, Default)]
pub struct Connect {
    pub book: Book,
    /// The file could not be read: it is not used and not written over.
    pub broken: Option<String>,
    /// What is kept has come.
    pub is_loaded: bool,
    pub found: Vec<Found>,
    pub form: ConnectForm,
    /// The item of the list that the form was filled from.
    pub chosen: Option<Item>,
    pub failure: Option<Failure>,
    /// What has to be typed.
    pub asking: Asking,
    pub test_generation: u64,
    pub test: Remote<Arc<Tested>>,
    /// A sentence on what was saved.
    pub said: Option<String>,
    /// Where a person was when a store was asked for: who has left is not torn away.
    pub asked_at: Option<(Place, StoreId)>,
    /// The first start: the page stays although the demo store has opened.
    pub stays: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    #[default]
    Nothing,
    Password,
    /// Of a key for the way through SSH.
    Passphrase,
}

/// Something that can be chosen to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Open(StoreId),
    Demo,
    /// By its name.
    Found(String),
    Saved(String),
    /// By its URL.
    Recent(String),
}

/// Where the form was filled from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    #[default]
    Typed,
    Found(String),
    Saved(String),
    Recent(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConnectForm {
    /// The text of the field; it holds a password until it is left.
    pub url: Secret,
    pub address: Address,
    pub password: Secret,
    /// Of the keys for the way through SSH; it is never kept.
    pub passphrase: Secret,
    pub name: String,
    pub colour: Colour,
    pub is_production: bool,
    pub ca: String,
    pub cert: String,
    pub cert_key: String,
    pub server_name: String,
    pub ssh: String,
    pub command: String,
    /// Look on a replica.
    pub on_replica: bool,
    pub origin: Origin,
    /// The fields that are seldom needed are shown.
    pub shows_more: bool,
}

impl ConnectForm {
    pub fn of(connection: &config::Connection, origin: Origin) -> ConnectForm {
        let options = &connection.options;
        let path = |path: &Option<PathBuf>| match path {
            Some(path) => path.display().to_string(),
            None => String::new(),
        };
        let mut form = ConnectForm {
            name: connection.name.clone().unwrap_or_default(),
            colour: connection.colour,
            is_production: connection.is_production,
            ca: path(&options.ca),
            cert: path(&options.cert),
            cert_key: path(&options.cert_key),
            server_name: options.server_name.clone().unwrap_or_default(),
            ssh: options.ssh.clone().unwrap_or_default(),
            command: options.password_command.clone().unwrap_or_default(),
            on_replica: options.look == Look::Replica,
            origin,
            ..ConnectForm::default()
        };
        form.set_url(&connection.url);
        form.shows_more = form.has_more();
        form
    }

    /// Whether something is in the fields that are seldom needed.
    pub fn has_more(&self) -> bool {
        let texts = [
            &self.ca,
            &self.cert,
            &self.cert_key,
            &self.server_name,
            &self.ssh,
            &self.command,
        ];
        self.on_replica || texts.iter().any(|text| !text.is_empty())
    }

    /// The URL, and with it the fields, where it has the fields.
    pub fn set_url(&mut self, text: &str) {
        self.url = Secret::new(text);
        if let Some(address) = fields(text) {
            self.address = address;
        } else if text.trim().is_empty() {
            self.address = Address::default();
        }
    }

    /// Who a password would be shown to and by which way, where that is said.
    pub fn server(&self) -> Option<String> {
        let url = self.url();
        let ssh = self.ssh.trim();
        match fields(url) {
            // Several hosts have no fields.
            None if is_address(url) => {
                let url = url.split('?').next().unwrap_or(url);
                Some(format!("{url} {ssh}"))
            }
            found => {
                let address = found.as_ref().unwrap_or(&self.address);
                let Address {
                    engine,
                    host,
                    port,
                    user,
                    ..
                } = address;
                let more = address.more();
                (!host.is_empty())
                    .then(|| format!("{engine:?} {user}@{host}:{port} {more:?} {ssh}"))
            }
        }
    }

    pub fn url(&self) -> &str {
        self.url.reveal().trim()
    }

    /// Whether the fields say what the URL says.
    pub fn has_fields(&self) -> bool {
        let text = self.url();
        text.is_empty() || fields(text).is_some() || !is_address(text)
    }

    pub fn options(&self) -> TargetOptions {
        let path =
            |text: &str| Some(PathBuf::from(text.trim())).filter(|p| !p.as_os_str().is_empty());
        let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        TargetOptions {
            ca: path(&self.ca),
            cert: path(&self.cert),
            cert_key: path(&self.cert_key),
            server_name: text(&self.server_name),
            ssh: text(&self.ssh),
            password_command: text(&self.command),
            look: Look::on_replica(self.on_replica),
            ..TargetOptions::default()
        }
    }
}

/// What a test of the form has found.
#[derive(Clone, Debug, Default)]
pub struct Tested {
    pub opened: Opened,
    pub user: Option<String>,
    /// What counted, and where it came from.
    pub settings: Vec<config::Setting>,
    /// Until it had answered.
    pub reached_ms: u64,
    /// Until its sources were found.
    pub looked_ms: u64,
}
