//! Answers about values, kept; with care for answers that hang on themselves.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::value::Value;

/// What an answer is about, and whether it was worked out without asking for files: such an answer notes no wants.
type Question = (Value, bool);

/// Answers to one kind of question.
#[derive(Debug)]
pub(super) struct Memo<T> {
    known: FxHashMap<Question, Rc<T>>,
    /// Questions that are being worked out, outermost first.
    asked: Vec<Question>,
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

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { known: FxHashMap::default(), asked: Vec::new(), outermost: usize::MAX }
    }
}

impl<T> Memo<T> {
    pub fn ask(&mut self, question: Question) -> Asked<T> {
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
