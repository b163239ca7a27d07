//! The same protocol with one fault. A check that cannot fail shows nothing: each fault must break
//! the invariant beside it.

/// The fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A held release is treated as approved.
    HeldIsPublished,
    /// Objects are swept whatever their epoch.
    SweepsAnyEpoch,
    /// Atoms are formed by the running program, not read back.
    FormsAgain,
    /// An entry that was not found is sent to the next slot.
    GoesBeyondGap,
    /// A start fixes the values of the newest tick, fixed or not.
    MasksAgain,
    /// Other work is done between a tick and its values.
    WorksUnmasked,
    /// Files are copied before the decision about them.
    CopiesUndecided,
    /// The manifest is published before the files.
    ManifestFirst,
    /// The commit of the Delta log is published before the manifest.
    CommitFirst,
    /// A release counts as published before its commit exists.
    PublishesUncommitted,
    /// An existing object is assumed to be the writer's own.
    ExistsIsMine,
    /// An entry that was not found is sent again in other bytes.
    SendsOther,
    /// A start sweeps before its fence is durable.
    ActsUnfenced,
    /// Raw rows of closed ticks are forgotten, published or not.
    ForgetsUnpublished,
    /// A request is handled even if it was handled before.
    DoesAgain,
    /// A new tick does not make a held release void.
    ClosingVoidsNothing,
    /// An erasure does not make a held release void.
    ErasureVoidsNothing,
    /// The list of files that were read is kept beside the log.
    RemembersBeside,
    /// The inbox is emptied before the entry.
    EmptiesInboxFirst,
    /// A request is refused without checking whether the log has changed.
    RefusesUnlooked,
    /// A writer makes new draws for a tick whose draws are in the log.
    DrawsAgain,
    /// Fences lose their places like other entries.
    PacksFences,
    /// A new writer trusts its fence without checking whether the log has continued.
    FencesUnlooked,
    /// A missing object is called damage, whether the log has changed or not.
    HaltsUnlooked,
}

/// Each fault, and the invariant that it breaks.
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
    (
        Fault::PublishesUncommitted,
        "a published release has its commit",
    ),
    (Fault::ExistsIsMine, "nothing outside before the fence"),
    (Fault::SendsOther, "only another writer ends a writer"),
    (Fault::ActsUnfenced, "nothing outside before the fence"),
    (Fault::ForgetsUnpublished, "nothing that is needed is gone"),
    (Fault::DoesAgain, "a request is done once"),
    (Fault::ClosingVoidsNothing, "no void hold leaves"),
    (Fault::ErasureVoidsNothing, "no void hold leaves"),
    (Fault::RemembersBeside, "a file that came is in an entry"),
    (
        Fault::EmptiesInboxFirst,
        "a request that is gone was answered",
    ),
    (Fault::RefusesUnlooked, "an answer is true"),
    (Fault::DrawsAgain, "the coins of a tick are drawn once"),
    (
        Fault::PacksFences,
        "what a writer knows is the fold of the log",
    ),
    (
        Fault::FencesUnlooked,
        "what a writer knows is the fold of the log",
    ),
    (Fault::HaltsUnlooked, "no writer halts"),
];
