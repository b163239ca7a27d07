//! Values that a task holds but that must not be dropped on its thread: dropping them waits for
//! threads and brokers, and a task may be aborted wherever it waits.

use std::ops::{Deref, DerefMut};

/// Drops its value on a thread of its own, unless the value is taken out before.
pub(super) struct DetachedDrop<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> DetachedDrop<T> {
    /// Holds this value.
    pub(super) fn new(held: T) -> DetachedDrop<T> {
        DetachedDrop(Some(held))
    }

    /// Takes the value out, for a caller that may wait.
    pub(super) fn free(mut self) -> T {
        self.0.take().expect("it is freed once")
    }
}

impl<T: Send + 'static> Deref for DetachedDrop<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it was not freed")
    }
}

impl<T: Send + 'static> DerefMut for DetachedDrop<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it was not freed")
    }
}

impl<T: Send + 'static> Drop for DetachedDrop<T> {
    fn drop(&mut self) {
        if let Some(held) = self.0.take() {
            // This is not waited for: the process may end before it. If no thread can be started
            // the value is dropped here.
            let _ = std::thread::Builder::new()
                .name("end".to_owned())
                .spawn(move || drop(held));
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

    /// An aborted task does not drop its value on the thread that it ran on.
    #[test]
    fn a_connection_that_is_cut_off_waits_for_no_other() {
        let (sender, ended) = channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let held = DetachedDrop::new(Ends(sender.clone()));
            let task = tokio::spawn(async move {
                let _held = held;
                std::future::pending::<()>().await;
            });
            tokio::task::yield_now().await;
            task.abort();
            assert!(task.await.is_err());
        });
        let thread = ended
            .recv_timeout(Duration::from_secs(10))
            .expect("it ends");
        assert_ne!(thread, current().id());
        // A value that was taken out is dropped where its new owner drops it.
        drop(DetachedDrop::new(Ends(sender)).free());
        assert_eq!(ended.recv(), Ok(current().id()));
    }
}
