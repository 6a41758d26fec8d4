//! Futures that run side by side on their caller's task.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use crate::order;

/// Runs all, and gives what came of each in their order.
///
/// One is polled when it was woken itself, not whenever another was, so that many of them which wait
/// for each other's permits cost no more than they have steps.
///
/// # Cancellation
/// Those that still run are dropped.
pub(crate) async fn side_by_side<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<Option<Pin<Box<F>>>> = futures.map(|f| Some(Box::pin(f))).collect();
    let mut done: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    let board = Arc::new(Mutex::new(Board { due: (0..running.len()).collect(), task: None }));
    let bells: Vec<Waker> = (0..running.len())
        .map(|place| Waker::from(Arc::new(Bell { place, board: Arc::clone(&board) })))
        .collect();
    let mut left = running.len();
    poll_fn(|cx| {
        let mut due = {
            let mut board = board.lock().unwrap_or_else(PoisonError::into_inner);
            match &mut board.task {
                Some(task) => task.clone_from(cx.waker()),
                task => *task = Some(cx.waker().clone()),
            }
            std::mem::take(&mut board.due)
        };
        order::sort_by(&mut due, Ord::cmp);
        due.dedup();
        for place in due {
            let Some(future) = &mut running[place] else { continue };
            let polled = future.as_mut().poll(&mut Context::from_waker(&bells[place]));
            if let Poll::Ready(output) = polled {
                running[place] = None;
                done[place] = Some(output);
                left -= 1;
            }
        }
        if left == 0 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// Who was woken since the last look, and the task that looks.
struct Board {
    /// By their places, some perhaps more than once.
    due: Vec<usize>,
    task: Option<Waker>,
}

/// Wakes the task for one of the futures.
struct Bell {
    place: usize,
    board: Arc<Mutex<Board>>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let task = {
            let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
            board.due.push(self.place);
            board.task.clone()
        };
        if let Some(task) = task {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::sync::Semaphore;
    use tokio::task::yield_now;

    use super::*;

    /// Counts the polls of what it holds.
    async fn counted<F: Future>(polls: &Cell<usize>, future: F) -> F::Output {
        let mut future = Box::pin(future);
        poll_fn(|cx| {
            polls.set(polls.get() + 1);
            future.as_mut().poll(cx)
        })
        .await
    }

    #[tokio::test]
    async fn outputs_come_in_order_whoever_is_first() {
        let running = (0..5_u32).map(|n| async move {
            for _ in n..5 {
                yield_now().await;
            }
            n
        });
        assert_eq!(side_by_side(running).await, [0, 1, 2, 3, 4]);
        assert!(side_by_side(std::iter::empty::<std::future::Ready<()>>()).await.is_empty());
    }

    #[tokio::test]
    async fn each_is_polled_when_it_is_woken_itself() {
        let (polls, permits) = (Cell::new(0), Semaphore::new(1));
        let running = (0..1_000).map(|_| {
            counted(&polls, async {
                let _permit = permits.acquire().await.unwrap();
                yield_now().await;
            })
        });
        assert_eq!(side_by_side(running).await.len(), 1_000);
        assert!(polls.get() <= 3_000, "{} polls", polls.get());
    }

    #[tokio::test]
    async fn what_still_runs_is_dropped_with_the_whole() {
        let held = Arc::new(());
        let running = (0..3).map(|_| {
            let held = Arc::clone(&held);
            async move {
                std::future::pending::<()>().await;
                drop(held);
            }
        });
        let mut whole = Box::pin(side_by_side(running));
        tokio::select! {
            biased;
            _ = &mut whole => unreachable!("they never end"),
            () = yield_now() => {}
        }
        assert_eq!(Arc::strong_count(&held), 4);
        drop(whole);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
