//! Runs libraries that decode bytes from outside: if one of them panics on damaged bytes, the file
//! is unreadable, and the program continues. Only for work whose state is discarded afterwards. The
//! message of a panic is not printed, since it may quote the bytes.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread is doing such work.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The result, unless the work panicked.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                others(panic);
            }
        }));
    });
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work)).ok();
    GUARDED.set(before);
    result
}
