//! Where panels put what a person asked for; it is carried out after the frame.

use std::cell::RefCell;

use crate::app::Command;

#[derive(Debug, Default)]
pub struct Commands(RefCell<Vec<Command>>);

impl Commands {
    pub fn send(&self, command: Command) {
        self.0.borrow_mut().push(command);
    }

    pub fn take(&self) -> Vec<Command> {
        self.0.take()
    }
}
