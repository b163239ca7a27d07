//! Libraries that decode foreign bytes are asked in here: where one of them gives up on damaged bytes with a panic, the
//! file is unreadable, not the program broken. Only for work whose state is thrown away afterwards. What a panic says is
//! not printed, since it may quote the bytes.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread is at such work.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The result, unless the work gave up.
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
