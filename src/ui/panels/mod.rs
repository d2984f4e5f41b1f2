//! The parts of the window. Each has its data, which tests read as text, and how it looks.

pub mod columns;
pub mod connect;
pub mod copy_as;
pub mod editor;
pub mod export;
pub mod journal;
pub mod keys;
pub mod keys_page;
pub mod lab;
pub mod layouts;
pub mod locks;
pub mod notices;
pub mod palette;
pub mod record;
pub mod repair;
pub mod selected_bar;
pub mod settings;
pub mod side_bar;
pub mod stats;
pub mod status_line;
pub mod stores_menu;
pub mod top_bar;
