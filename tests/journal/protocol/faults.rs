//! The same protocol with one thing wrong in it. A check that cannot fail shows nothing: each fault must break the promise
//! that is named beside it.

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A release that is held is taken for one that may leave.
    HeldIsPublished,
    /// Objects are swept whatever their epoch.
    SweepsAnyEpoch,
    /// Atoms are formed by the program that runs, not read back.
    FormsAgain,
    /// What was not found is sent to the next slot.
    GoesBeyondGap,
    /// A start fixes the values of the newest tick, fixed or not.
    MasksAgain,
    /// Other work is done between a tick and its values.
    WorksUnmasked,
    /// Files are copied before it is decided about them.
    CopiesUndecided,
    /// The manifest goes before the files.
    ManifestFirst,
    /// The commit of the Delta log goes before the manifest.
    CommitFirst,
    /// A release counts as published before its commit is there.
    PublishesUncommitted,
    /// Something is there, so it is mine.
    ExistsIsMine,
    /// What was not found is sent again in other bytes.
    SendsOther,
    /// A start sweeps before its fence lasts.
    ActsUnfenced,
    /// Raw rows of ticks that are closed are forgotten, published or not.
    ForgetsUnpublished,
    /// A request is done whether it was done or not.
    DoesAgain,
    /// A new tick leaves a release that is held as it is.
    ClosingVoidsNothing,
    /// An erasure leaves a release that is held as it is.
    ErasureVoidsNothing,
    /// Which files were taken in is kept beside the log.
    RemembersBeside,
    /// The inbox is emptied before the entry.
    EmptiesInboxFirst,
    /// A request is refused without a look whether the log has moved.
    RefusesUnlooked,
    /// A writer draws coins of its own for a tick whose coins are in the log.
    DrawsAgain,
    /// Fences lose their places like other entries.
    PacksFences,
    /// A writer that begins believes its fence without a look whether the log has gone on.
    FencesUnlooked,
    /// Something is missing, so the store is damaged, whether the log has moved or not.
    HaltsUnlooked,
}

/// Each fault, and the promise that it breaks.
pub const PLANTED: [(Fault, &str); 24] = [
    (Fault::HeldIsPublished, "no hold leaves unapproved"),
    (Fault::SweepsAnyEpoch, "nothing that is needed is gone"),
    (Fault::FormsAgain, "atoms are never formed again"),
    (Fault::GoesBeyondGap, "the log is one chain without gaps"),
    (Fault::MasksAgain, "a closed tick is masked once"),
    (Fault::WorksUnmasked, "a closed tick is masked once"),
    (Fault::CopiesUndecided, "every public file was decided"),
    (Fault::ManifestFirst, "a manifest shows a whole release"),
    (Fault::CommitFirst, "a commit follows its manifest"),
    (Fault::PublishesUncommitted, "a published release has its commit"),
    (Fault::ExistsIsMine, "nothing outside before the fence"),
    (Fault::SendsOther, "only another writer ends a writer"),
    (Fault::ActsUnfenced, "nothing outside before the fence"),
    (Fault::ForgetsUnpublished, "nothing that is needed is gone"),
    (Fault::DoesAgain, "a request is done once"),
    (Fault::ClosingVoidsNothing, "no void hold leaves"),
    (Fault::ErasureVoidsNothing, "no void hold leaves"),
    (Fault::RemembersBeside, "a file that came is in an entry"),
    (Fault::EmptiesInboxFirst, "a request that is gone was answered"),
    (Fault::RefusesUnlooked, "an answer is true"),
    (Fault::DrawsAgain, "the coins of a tick are drawn once"),
    (Fault::PacksFences, "what a writer knows is the fold of the log"),
    (Fault::FencesUnlooked, "what a writer knows is the fold of the log"),
    (Fault::HaltsUnlooked, "no writer halts"),
];
