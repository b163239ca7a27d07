//! How far a preview is, on a terminal.

use std::path::PathBuf;

use crate::cli::input_watch::Shown as OfInputs;
use crate::daemon::config::Setting;
use crate::daemon::oneshot::Watch;
use crate::daemon::preview::Follow;

/// One line that says what is being done.
pub struct Shown(OfInputs);

impl Shown {
    /// Of these inputs.
    pub fn new(inputs: &[PathBuf]) -> Shown {
        Shown(OfInputs::new(inputs))
    }
}

impl Follow for Shown {
    fn sample(&mut self) -> &mut dyn Watch {
        &mut self.0
    }

    fn in_ticks(&mut self) {
        self.0.say("trying the sample in parts".to_owned());
    }

    fn under(&mut self, settings: &[Setting]) {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        self.0.say(format!("trying {}", settings.join(" ")));
    }
}
