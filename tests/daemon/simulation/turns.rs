//! Time in a simulated run. Processes are threads, one of which works at a time: it works until it
//! waits, and the next one is the one that has waited for long enough. So a run follows from its
//! seed alone, on any number of processors.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// What unwinds a process that dies.
pub struct Death;

/// How a process has ended.
pub enum End {
    /// By itself.
    Done,
    /// It was killed.
    Died,
    /// By a panic of the program, or a failed invariant.
    Failed(Box<dyn Any + Send>),
}

/// Time, and which process works.
#[derive(Default)]
pub struct Turns {
    known: Mutex<Known>,
    turned: Condvar,
}

#[derive(Default)]
struct Known {
    now: Duration,
    /// The time until which processes work before the thread of the world continues.
    goal: Duration,
    /// The process that works; None for the thread of the world.
    running: Option<u32>,
    /// The time until which each of the others waits.
    wait: BTreeMap<u32, Duration>,
    threads: BTreeMap<u32, JoinHandle<()>>,
    ended: Option<(u32, End)>,
}

impl Known {
    /// Passes the turn to the process that has waited for long enough, or to the thread of the
    /// world.
    fn turns(&mut self) {
        let next = self
            .wait
            .iter()
            .map(|(process, until)| (*until, *process))
            .min();
        self.running = next
            .filter(|(until, _)| *until <= self.goal)
            .map(|(until, process)| {
                self.now = self.now.max(until);
                self.wait.remove(&process);
                process
            });
    }
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the beginning.
    pub fn now(&self) -> Duration {
        self.lock().now
    }

    /// A little time passes.
    pub fn passes(&self, time: Duration) {
        self.lock().now += time;
    }

    /// Whether another process waits.
    pub fn others(&self) -> bool {
        !self.lock().wait.is_empty()
    }

    /// Begins a process, which works when its turn comes.
    pub fn begin(self: &Arc<Self>, process: u32, work: impl FnOnce() + Send + 'static) {
        let turns = Arc::clone(self);
        let thread = std::thread::spawn(move || {
            turns.turn(process);
            let end = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(()) => End::Done,
                Err(death) if death.is::<Death>() => End::Died,
                Err(fault) => End::Failed(fault),
            };
            let mut known = turns.lock();
            known.ended = Some((process, end));
            known.running = None;
            turns.turned.notify_all();
        });
        let mut known = self.lock();
        let now = known.now;
        known.wait.insert(process, now);
        known.threads.insert(process, thread);
    }

    /// The working process waits, and others continue.
    pub fn rest(&self, process: u32, time: Duration) {
        let mut known = self.lock();
        let until = known.now + time;
        known.wait.insert(process, until);
        known.turns();
        // Usually no other has anything to do until then.
        if known.running != Some(process) {
            self.turned.notify_all();
            drop(known);
            self.turn(process);
        }
    }

    /// Waits until it is the turn of this process.
    fn turn(&self, process: u32) {
        let mut known = self.lock();
        while known.running != Some(process) {
            known = self
                .turned
                .wait(known)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A waiting process continues now.
    pub fn wake(&self, process: u32) {
        let known = &mut *self.lock();
        if let Some(until) = known.wait.get_mut(&process) {
            *until = known.now.min(*until);
        }
    }

    /// Lets processes work until this time, or until one of them ends.
    pub fn until(&self, time: Duration) -> Option<(u32, End)> {
        loop {
            let mut known = self.lock();
            known.goal = time;
            known.turns();
            if known.running.is_none() {
                known.now = known.now.max(time);
                return None;
            }
            self.turned.notify_all();
            while known.running.is_some() {
                known = self
                    .turned
                    .wait(known)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if let Some((process, end)) = known.ended.take() {
                let thread = known.threads.remove(&process);
                drop(known);
                // It only has to end.
                let _ = thread.map(JoinHandle::join);
                return Some((process, end));
            }
        }
    }
}
