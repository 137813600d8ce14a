//! The keys that an object can have, each with its place, and whether the list is complete.

use std::rc::Rc;

use agentcheck_catalog::Ty;
use agentcheck_syntax::Place;
use rustc_hash::FxHashSet;

use super::memo::Asked;
use super::{Infer, Loc, Value, ValueKind};
use crate::hir::{ExprKind, Parent, PropId, PropKey, PropKind, UnaryOp};

/// A key of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub name: String,
    /// The name where it is written, with quotes or brackets.
    pub place: Place,
    pub value: Loc,
    pub origin: KeyOrigin,
    /// Whether the key is there whichever way the program runs.
    pub certain: bool,
}

/// How a key came to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrigin {
    /// An entry of an object literal.
    Entry(PropId),
    /// `object.name = value`; the member expression.
    Assignment(Loc),
}

/// What is known of the keys of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// In the order in which they take effect.
    pub known: Vec<Key>,
    /// Where keys come in that cannot be seen. Empty: the list is complete.
    pub open: Vec<Loc>,
}

impl Keys {
    /// The last entry called `name`, which is the one that counts.
    pub fn get(&self, name: &str) -> Option<&Key> {
        self.known.iter().rev().find(|key| key.name == name)
    }

    /// Whether the object certainly has no key `name`.
    pub fn lacks(&self, name: &str) -> bool {
        self.open.is_empty() && self.get(name).is_none()
    }

    /// What a spread of `other` adds. The same object spread twice counts where it is spread last.
    fn extend(&mut self, other: &Self) {
        if !self.known.is_empty() {
            let again: FxHashSet<Place> = other.known.iter().map(|key| key.place).collect();
            self.known.retain(|key| !again.contains(&key.place));
        }
        self.known.extend(other.known.iter().cloned());
        self.open.extend(other.open.iter().filter(|open| !self.open.contains(open)).copied().collect::<Vec<_>>());
    }

    fn without(mut self, taken: &[String]) -> Self {
        self.known.retain(|key| !taken.contains(&key.name));
        self
    }
}

/// More ways in which an object may come out than this are not told apart.
const WORLD_LIMIT: usize = 12;

impl Infer<'_> {
    /// The keys that `value` can have on some path.
    pub fn keys(&mut self, value: Value) -> Keys {
        let worlds = self.worlds(value);
        let several = worlds.len() > 1;
        let mut keys = Keys::default();
        for world in worlds.iter() {
            for key in &world.known {
                if !keys.known.iter().any(|known| known.place == key.place && known.name == key.name) {
                    keys.known.push(Key { certain: key.certain && !several, ..key.clone() });
                }
            }
            for open in &world.open {
                if !keys.open.contains(open) {
                    keys.open.push(*open);
                }
            }
        }
        keys
    }

    /// The ways in which the object may come out: `{ ...(a ? { b } : { c }) }` has either `b` or `c`. At least one.
    pub fn worlds(&mut self, value: Value) -> Rc<Vec<Keys>> {
        match self.worlds.ask((value, self.idle)) {
            Asked::Known(worlds) => return worlds,
            // An object spread into itself gets no further keys by it.
            Asked::Cycle => return Rc::new(vec![Keys::default()]),
            Asked::New => {}
        }
        let mut worlds = Vec::new();
        if self.step() {
            self.depth += 1;
            for member in self.alternatives(value) {
                worlds.extend(self.worlds_of(member));
            }
            self.depth -= 1;
        }
        self.worlds.answer(limited(worlds))
    }

    fn worlds_of(&mut self, value: Value) -> Vec<Keys> {
        let open = |at: Option<Loc>| vec![Keys { known: Vec::new(), open: at.into_iter().collect() }];
        match self.kind(value).clone() {
            ValueKind::Object(object) => self.worlds_of_literal(object),
            ValueKind::Merged(parts) => {
                let mut worlds = vec![Keys::default()];
                for part in parts {
                    let more = self.worlds(part);
                    worlds = combined(worlds, &more);
                }
                worlds
            }
            ValueKind::Rest(base, taken) => {
                self.worlds(base).iter().map(|world| world.clone().without(&taken)).collect()
            }
            ValueKind::Sdk(sdk) => match self.program.types.ty(sdk.ty) {
                // A definition passed through `tool()` has the keys of the definition.
                Ty::Record(_) => match self.definition(sdk) {
                    Some(definition) => Rc::unwrap_or_clone(self.worlds(definition)),
                    None => open(sdk.origin.or_else(|| self.any_loc())),
                },
                _ => open(sdk.origin.or_else(|| self.any_loc())),
            },
            ValueKind::Unknown(_, loc)
            | ValueKind::Declared(_, _, loc)
            | ValueKind::Global(loc)
            | ValueKind::Builtin(loc)
            | ValueKind::Derived(loc) => open(Some(loc)),
            ValueKind::Tail(base, _) => self.worlds_of(base),
            ValueKind::Instance(..) | ValueKind::Promise(_) | ValueKind::Module(_) | ValueKind::Namespace(_) => {
                open(self.any_loc())
            }
            // Spreading nothing, a number or a function adds nothing.
            _ => vec![Keys::default()],
        }
    }

    /// Some place to point at where keys come from something that has none of its own.
    fn any_loc(&self) -> Option<Loc> {
        self.exprs.keys().min().copied()
    }

    fn worlds_of_literal(&mut self, object: Loc) -> Vec<Keys> {
        let module = self.module(object.file);
        let at = |expr| object.at(expr);
        let ExprKind::Object(props) = module.expr(object.expr).kind else { return vec![Keys::default()] };
        let mut worlds = vec![Keys::default()];
        for (id, prop) in module.props(props) {
            let name = match (prop.kind, prop.key) {
                (PropKind::Spread, _) => {
                    let spread = self.eval(object.at(prop.value));
                    let more = self.worlds(spread);
                    worlds = combined(worlds, &more);
                    continue;
                }
                (PropKind::Setter, _) | (_, PropKey::None) => continue,
                (_, PropKey::Name(name)) => module.name(name).to_owned(),
                (_, PropKey::Computed(expr)) => match self.key_text(at(expr)) {
                    Some(name) => name,
                    None => {
                        worlds.iter_mut().for_each(|world| world.open.push(at(expr)));
                        continue;
                    }
                },
            };
            let key = Key {
                name,
                place: Place { file: object.file, span: prop.key_span },
                value: at(prop.value),
                origin: KeyOrigin::Entry(id),
                certain: true,
            };
            worlds.iter_mut().for_each(|world| world.known.push(key.clone()));
        }
        let Some(binding) = module.binding_of_value(object.expr) else { return worlds };
        for (member, value) in self.member_writes(object.file, binding) {
            let (name, span) = match module.expr(member).kind {
                ExprKind::Member { property, .. } => (module.name(property).to_owned(), module.name_span(member)),
                ExprKind::Index { index, .. } => match self.key_text(at(index)) {
                    Some(name) => (name, module.expr(index).span),
                    None => {
                        worlds.iter_mut().for_each(|world| world.open.push(at(member)));
                        continue;
                    }
                },
                _ => continue,
            };
            let key = Key {
                name,
                place: Place { file: object.file, span },
                value: at(value),
                origin: KeyOrigin::Assignment(at(member)),
                // An assignment may stand behind a condition.
                certain: false,
            };
            worlds.iter_mut().for_each(|world| world.known.push(key.clone()));
        }
        for source in self.assigned_sources(object, binding) {
            let more = self.worlds(source);
            worlds = combined(worlds, &more);
        }
        // What is deleted somewhere may be gone or not.
        for (name, delete) in self.deletions(object, binding) {
            for world in &mut worlds {
                world.known.retain(|key| key.name != name);
                world.open.push(delete);
            }
        }
        worlds
    }

    /// The further arguments of every `Object.assign(binding, …)`.
    fn assigned_sources(&mut self, object: Loc, binding: crate::hir::BindingId) -> Vec<Value> {
        let module = self.module(object.file);
        let mut sources = Vec::new();
        for reference in module.refs(binding) {
            let Parent::Expr(call) = module.expr_parent(*reference) else { continue };
            let ExprKind::Call { callee, args } = module.expr(call).kind else { continue };
            let args = module.exprs(args);
            if args.first() == Some(reference) && module.text(module.expr(callee).span) == "Object.assign" {
                sources.extend(args[1..].iter().map(|arg| self.eval(object.at(*arg))));
            }
        }
        sources
    }

    /// Every `delete binding.name`.
    fn deletions(&self, object: Loc, binding: crate::hir::BindingId) -> Vec<(String, Loc)> {
        let module = self.module(object.file);
        let mut deletions = Vec::new();
        for reference in module.refs(binding) {
            let Parent::Expr(member) = module.expr_parent(*reference) else { continue };
            let Parent::Expr(delete) = module.expr_parent(member) else { continue };
            if !matches!(module.expr(delete).kind, ExprKind::Unary(UnaryOp::Delete, _)) {
                continue;
            }
            let name = match module.expr(member).kind {
                ExprKind::Member { property, .. } => module.name(property),
                ExprKind::Index { index, .. } => module.string(index).unwrap_or_default(),
                _ => continue,
            };
            deletions.push((name.to_owned(), object.at(delete)));
        }
        deletions
    }

    /// The text of a computed key. No file is read for it: keys that come from elsewhere are seldom the SDK's.
    fn key_text(&mut self, loc: Loc) -> Option<String> {
        self.idly(|this| this.literal_text(loc))
    }

    /// Whether an expression is certainly `undefined`.
    pub fn is_nothing(&mut self, loc: Loc) -> bool {
        let value = self.eval(loc);
        matches!(self.kind(value), ValueKind::Undefined)
    }

    /// The text of an expression that is a string or number literal, through constants.
    pub fn literal_text(&mut self, loc: Loc) -> Option<String> {
        let value = self.eval(loc);
        let ValueKind::Literal(literal) = *self.kind(value) else { return None };
        let module = self.module(literal.file);
        match module.expr(literal.expr).kind {
            ExprKind::String(name) | ExprKind::Number(name) => Some(module.name(name).to_owned()),
            _ => None,
        }
    }

    /// The object that an SDK function gives back as it is: `tool({…})` is its argument.
    pub fn definition(&mut self, sdk: super::Sdk) -> Option<Value> {
        let origin = sdk.origin?;
        let module = self.module(origin.file);
        let ExprKind::Call { callee, args } = module.expr(origin.expr).kind else { return None };
        let callee = self.eval(origin.at(callee));
        let ValueKind::Export(export) = *self.kind(callee) else { return None };
        let Ty::Function(signature) = self.program.types.ty(self.program.types.value(export).ty) else { return None };
        if signature.result != sdk.ty || signature.params.first() != Some(&sdk.ty) {
            return None;
        }
        let argument = *module.exprs(args).first()?;
        Some(self.eval(origin.at(argument)))
    }
}

/// Each of `worlds` followed by each of `more`.
fn combined(worlds: Vec<Keys>, more: &[Keys]) -> Vec<Keys> {
    if let [only] = more {
        return worlds
            .into_iter()
            .map(|mut world| {
                world.extend(only);
                world
            })
            .collect();
    }
    let product = worlds.iter().flat_map(|world| {
        more.iter().map(|addition| {
            let mut world = world.clone();
            world.extend(addition);
            world
        })
    });
    limited(product.collect())
}

/// Joins the worlds into one when there are too many to tell apart: then no key is certain.
fn limited(worlds: Vec<Keys>) -> Vec<Keys> {
    if (1..=WORLD_LIMIT).contains(&worlds.len()) {
        return worlds;
    }
    let mut joined = Keys::default();
    for world in worlds {
        for key in world.known {
            if !joined.known.iter().any(|known| known.place == key.place) {
                joined.known.push(Key { certain: false, ..key });
            }
        }
        joined.open.extend(world.open);
    }
    joined.open.dedup();
    vec![joined]
}
