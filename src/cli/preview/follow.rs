//! The progress of a preview, on a terminal.

use std::path::PathBuf;

use crate::daemon::config::Setting;
use crate::daemon::folder::TaskProgress;
use crate::daemon::preview::PreviewProgress;
use crate::input_watch::InputLine as OfInputs;

/// One line that says what is being done.
pub(super) struct PreviewLine(OfInputs);

impl PreviewLine {
    /// For these inputs.
    pub(super) fn new(inputs: &[PathBuf]) -> PreviewLine {
        PreviewLine(OfInputs::new(inputs))
    }
}

impl PreviewProgress for PreviewLine {
    fn sample(&mut self) -> &mut dyn TaskProgress {
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
