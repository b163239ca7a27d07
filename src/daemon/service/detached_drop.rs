//! What a task holds that must not end where tasks run: its end waits for threads and brokers, and a task may be cut off at
//! any of its waits.

use std::ops::{Deref, DerefMut};

/// Ends on a thread of its own, unless it is freed before.
pub struct LockWatch<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> LockWatch<T> {
    /// Holds this.
    pub fn new(held: T) -> LockWatch<T> {
        LockWatch(Some(held))
    }

    /// What was held, for a caller that may wait.
    pub fn free(mut self) -> T {
        self.0.take().expect("it is freed once")
    }
}

impl<T: Send + 'static> Deref for LockWatch<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it was not freed")
    }
}

impl<T: Send + 'static> DerefMut for LockWatch<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it was not freed")
    }
}

impl<T: Send + 'static> Drop for LockWatch<T> {
    fn drop(&mut self) {
        if let Some(held) = self.0.take() {
            // It is not waited for: the process may end before it has. Where there are no threads it ends here.
            let _ = std::thread::Builder::new().name("end".to_owned()).spawn(move || drop(held));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{ThreadId, current};
    use std::time::Duration;

    use super::*;

    struct Ends(Sender<ThreadId>);

    impl Drop for Ends {
        fn drop(&mut self) {
            let _ = self.0.send(current().id());
        }
    }

    /// A task that is cut off does not end what it holds on the thread that it ran on.
    #[test]
    fn a_connection_that_is_cut_off_waits_for_no_other() {
        let (told, ended) = channel();
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let held = LockWatch::new(Ends(told.clone()));
            let task = tokio::spawn(async move {
                let _held = held;
                std::future::pending::<()>().await;
            });
            tokio::task::yield_now().await;
            task.abort();
            assert!(task.await.is_err());
        });
        let thread = ended.recv_timeout(Duration::from_secs(10)).expect("it ends");
        assert_ne!(thread, current().id());
        // The thread that frees it ends it where it stands.
        drop(LockWatch::new(Ends(told)).free());
        assert_eq!(ended.recv(), Ok(current().id()));
    }
}
