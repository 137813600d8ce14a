//! Ctrl-C: the process ends at once, except while files are being written, when it ends after the file at hand.

use std::sync::atomic::{AtomicBool, Ordering};

static WRITING: AtomicBool = AtomicBool::new(false);
static STOPPED: AtomicBool = AtomicBool::new(false);

/// The exit code of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// Handles Ctrl-C from now on.
pub(crate) fn install() {
    // Without a handler Ctrl-C still ends the process, and a file is still replaced as a whole.
    let _ = ctrlc::set_handler(|| {
        if WRITING.load(Ordering::SeqCst) {
            STOPPED.store(true, Ordering::SeqCst);
        } else {
            std::process::exit(INTERRUPTED);
        }
    });
}

/// Runs `write` for each item; ends the process between two items when it was interrupted.
pub(crate) fn for_each_uninterrupted<T>(items: impl IntoIterator<Item = T>, mut write: impl FnMut(T)) {
    WRITING.store(true, Ordering::SeqCst);
    for item in items {
        write(item);
        if STOPPED.load(Ordering::SeqCst) {
            std::process::exit(INTERRUPTED);
        }
    }
    WRITING.store(false, Ordering::SeqCst);
}
