//! Answers about values, kept; with care for answers that hang on themselves.

use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::FxHashMap;

/// Answers to one kind of question. A question is what the answer is about, and whether it is worked out without asking for
/// files: such an answer notes no wants.
#[derive(Debug)]
pub(super) struct Memo<Q, T> {
    known: FxHashMap<(Q, bool), Rc<T>>,
    /// Questions that are being worked out, outermost first.
    asked: Vec<(Q, bool)>,
    /// The outermost of them that was asked again on the way. Answers inside it are made without its own, so that they
    /// are not kept.
    outermost: usize,
}

/// What is known before an answer is worked out.
pub(super) enum Asked<T> {
    Known(Rc<T>),
    /// The answer hangs on itself.
    Cycle,
    /// To be worked out and given to [`Memo::answer`].
    New,
}

impl<Q, T> Default for Memo<Q, T> {
    fn default() -> Self {
        Self { known: FxHashMap::default(), asked: Vec::new(), outermost: usize::MAX }
    }
}

impl<Q: Copy + Eq + Hash, T> Memo<Q, T> {
    pub fn ask(&mut self, question: (Q, bool)) -> Asked<T> {
        if let Some(known) = self.known.get(&question) {
            return Asked::Known(Rc::clone(known));
        }
        if let Some(index) = self.asked.iter().position(|asked| *asked == question) {
            self.outermost = self.outermost.min(index);
            return Asked::Cycle;
        }
        self.asked.push(question);
        Asked::New
    }

    /// Takes the answer to the question that was asked last.
    pub fn answer(&mut self, answer: T) -> Rc<T> {
        let answer = Rc::new(answer);
        if let Some(question) = self.asked.pop() {
            let index = self.asked.len();
            if self.outermost >= index {
                self.outermost = usize::MAX;
                self.known.insert(question, Rc::clone(&answer));
            }
        }
        answer
    }
}
