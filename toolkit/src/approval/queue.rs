//! A queue between two threads, in little code: a channel of the standard library is three of them,
//! each compiled for what it carries.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The end that puts in.
#[derive(Debug)]
pub(super) struct Sender<T>(Arc<Queue<T>>);

/// The end that takes out.
#[derive(Debug)]
pub(super) struct Receiver<T>(Arc<Queue<T>>);

/// Why nothing was taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nothing {
    /// Not within the time.
    Yet,
    /// The other end is gone.
    Ended,
}

#[derive(Debug)]
struct Queue<T> {
    held: Mutex<Held<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Held<T> {
    items: Vec<T>,
    /// One end is gone.
    ended: bool,
}

pub(super) fn queue<T>() -> (Sender<T>, Receiver<T>) {
    let held = Mutex::new(Held { items: Vec::new(), ended: false });
    let queue = Arc::new(Queue { held, changed: Condvar::new() });
    (Sender(Arc::clone(&queue)), Receiver(queue))
}

impl<T> Queue<T> {
    fn held(&self) -> MutexGuard<'_, Held<T>> {
        // Each change is one step, so a poisoned lock holds nothing broken.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Sender<T> {
    /// Puts in; gives back what nobody will take out.
    pub(super) fn send(&self, item: T) -> Result<(), T> {
        let mut held = self.0.held();
        if held.ended {
            return Err(item);
        }
        held.items.push(item);
        self.0.changed.notify_one();
        Ok(())
    }
}

impl<T> Receiver<T> {
    /// Waits for the next, for ever where no time is given.
    pub(super) fn next(&self, time: Option<Duration>) -> Result<T, Nothing> {
        let empty = |held: &mut Held<T>| held.items.is_empty() && !held.ended;
        let held = self.0.held();
        let mut held = match time {
            None => self.0.changed.wait_while(held, empty).unwrap_or_else(PoisonError::into_inner),
            Some(time) => {
                let waited = self.0.changed.wait_timeout_while(held, time, empty);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        if held.items.is_empty() {
            return Err(if held.ended { Nothing::Ended } else { Nothing::Yet });
        }
        Ok(held.items.remove(0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.held().ended = true;
        self.0.changed.notify_one();
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut held = self.0.held();
        held.ended = true;
        let left = std::mem::take(&mut held.items);
        drop(held);
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_comes_out_in_order_and_then_the_end() {
        let (sender, receiver) = queue();
        assert_eq!(receiver.next(Some(Duration::ZERO)), Err(Nothing::Yet));
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        drop(sender);
        assert_eq!(receiver.next(None), Ok(1));
        assert_eq!(receiver.next(Some(Duration::ZERO)), Ok(2));
        assert_eq!(receiver.next(None), Err(Nothing::Ended));
    }

    #[test]
    fn one_thread_wakes_the_other() {
        let (sender, receiver) = queue();
        std::thread::scope(|threads| {
            threads.spawn(|| sender.send(1).unwrap());
            assert_eq!(receiver.next(None), Ok(1));
        });
    }

    #[test]
    fn what_nobody_takes_is_given_back_or_dropped() {
        let held = Arc::new(());
        let (sender, receiver) = queue();
        sender.send(Arc::clone(&held)).unwrap();
        drop(receiver);
        assert_eq!(Arc::strong_count(&held), 1);
        assert!(sender.send(held).is_err());
    }
}
