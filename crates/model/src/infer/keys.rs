//! The keys that an object can have, each with its place, and whether the list is complete.

use agentcheck_catalog::Ty;
use agentcheck_syntax::{Place, Span};

use super::{Infer, Loc, Value, ValueKind};
use crate::hir::{ExprKind, PropId, PropKey, PropKind};

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
}

impl Infer<'_> {
    /// The keys that `value` can have, in the order in which they take effect.
    pub fn keys(&mut self, value: Value) -> Keys {
        let mut keys = Keys::default();
        self.collect_keys(value, true, &[], &mut keys);
        keys
    }

    fn collect_keys(&mut self, value: Value, certain: bool, taken: &[String], into: &mut Keys) {
        if !self.step() {
            return;
        }
        self.depth += 1;
        let alternatives = self.alternatives(value);
        let certain = certain && alternatives.len() == 1;
        for member in alternatives {
            match self.kind(member).clone() {
                ValueKind::Object(object) => self.collect_literal_keys(object, certain, taken, into),
                ValueKind::Rest(base, more) => {
                    let taken: Vec<String> = taken.iter().cloned().chain(more).collect();
                    self.collect_keys(base, certain, &taken, into);
                }
                ValueKind::Sdk(sdk) => match self.program.types.ty(sdk.ty) {
                    // A definition passed through `tool()` has the keys of the definition.
                    Ty::Record(_) => match self.definition(sdk) {
                        Some(definition) => self.collect_keys(definition, certain, taken, into),
                        None => into.open.extend(sdk.origin),
                    },
                    _ => into.open.extend(sdk.origin),
                },
                ValueKind::Unknown(_, loc)
                | ValueKind::Declared(_, _, loc)
                | ValueKind::Global(loc)
                | ValueKind::Builtin(loc) => into.open.push(loc),
                ValueKind::Instance(..) | ValueKind::Promise(_) | ValueKind::Module(_) | ValueKind::Namespace(_) => {
                    into.open.extend(self.any_loc());
                }
                _ => {}
            }
        }
        self.depth -= 1;
    }

    /// Some place to point at where keys come from something that has none of its own.
    fn any_loc(&self) -> Option<Loc> {
        self.exprs.keys().next().copied()
    }

    fn collect_literal_keys(&mut self, object: Loc, certain: bool, taken: &[String], into: &mut Keys) {
        let module = self.module(object.file);
        let ExprKind::Object(props) = module.expr(object.expr).kind else { return };
        for (id, prop) in module.props(props) {
            match (prop.kind, prop.key) {
                (PropKind::Spread, _) => {
                    let spread = self.eval_in(object.file, prop.value);
                    self.collect_keys(spread, certain, taken, into);
                }
                (PropKind::Setter, _) => {}
                (_, PropKey::Name(name)) => {
                    let name = module.name(name);
                    if !taken.iter().any(|key| key == name) {
                        into.known.push(Key {
                            name: name.to_owned(),
                            place: Place { file: object.file, span: prop.key_span },
                            value: Loc { file: object.file, expr: prop.value },
                            origin: KeyOrigin::Entry(id),
                            certain,
                        });
                    }
                }
                (_, PropKey::Computed(expr)) => into.open.push(Loc { file: object.file, expr }),
                (_, PropKey::None) => {}
            }
        }
        let Some(binding) = module.binding_of_value(object.expr) else { return };
        for (member, value) in self.member_writes(object.file, binding) {
            let (name, span) = match module.expr(member).kind {
                ExprKind::Member { property, .. } => (module.name(property), module.name_span(member)),
                ExprKind::Index { index, .. } => match module.string(index) {
                    Some(name) => (name, module.expr(index).span),
                    None => {
                        into.open.push(Loc { file: object.file, expr: member });
                        continue;
                    }
                },
                _ => continue,
            };
            if !taken.iter().any(|key| key == name) {
                into.known.push(Key {
                    name: name.to_owned(),
                    place: Place { file: object.file, span },
                    value: Loc { file: object.file, expr: value },
                    origin: KeyOrigin::Assignment(Loc { file: object.file, expr: member }),
                    // An assignment may stand behind a condition.
                    certain: false,
                });
            }
        }
    }

    /// The object that an SDK function gives back as it is: `tool({…})` is its argument.
    pub fn definition(&mut self, sdk: super::Sdk) -> Option<Value> {
        let origin = sdk.origin?;
        let module = self.module(origin.file);
        let ExprKind::Call { callee, args } = module.expr(origin.expr).kind else { return None };
        let callee = self.eval_in(origin.file, callee);
        let ValueKind::Export(export) = *self.kind(callee) else { return None };
        let Ty::Function(signature) = self.program.types.ty(self.program.types.value(export).ty) else { return None };
        if signature.result != sdk.ty || signature.params.first() != Some(&sdk.ty) {
            return None;
        }
        let argument = *module.exprs(args).first()?;
        Some(self.eval_in(origin.file, argument))
    }
}

impl Key {
    /// The key's text without quotes and brackets, as a range of its file.
    pub fn name_span(&self, quoted: bool) -> Span {
        let span = self.place.span;
        if quoted { Span::new(span.start + 1, span.end - 1) } else { span }
    }
}
