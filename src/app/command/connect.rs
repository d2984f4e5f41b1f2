//! What a person can ask of connections: the page, its form, the stores that are open.

use super::Move;
use crate::app::state::{Item, StoreId};
use crate::config::Colour;
use crate::config::address::{Engine, Security};
use crate::domain::Secret;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectCommand {
    ShowPage,
    /// Opens what the form says.
    Open,
    /// Opens a URL or a name.
    OpenText(Secret),
    OpenItem(Item),
    OpenDemo,
    /// Tries a lost store at once.
    TryNow,
    /// Looks for sources again.
    LookAgain,
    Form(FormCommand),
}

/// The form of one connection, and the list that it is filled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormCommand {
    UrlTyped(Secret),
    /// It comes whole: a password in it goes to its own field at once.
    UrlPasted(Secret),
    /// The field is left: a password in it goes to its own field.
    UrlLeft,
    Part(Part, String),
    Engine(Engine),
    Security(Security),
    PasswordTyped(Secret),
    Colour(Colour),
    ToggleProduction,
    ToggleReplica,
    ShowMore,
    Choose(Item),
    Move(Move),
    /// An empty form.
    New,
    Test,
    Save,
    /// Forgets the connection that is chosen.
    Remove,
}

/// A field that holds a plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Host,
    Port,
    User,
    Database,
    Name,
    Ca,
    Cert,
    CertKey,
    ServerName,
    Ssh,
    Command,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoresCommand {
    ShowMenu,
    Move(i64),
    /// Does what is chosen in the menu.
    Run,
    Show(StoreId),
    Close(StoreId),
    /// Closes the one that is shown.
    CloseCurrent,
}
