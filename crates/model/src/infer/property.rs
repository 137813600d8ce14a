//! Properties: of SDK values by the type table, of objects and classes of the project by where they are written.

use agentcheck_catalog::Ty;
use agentcheck_syntax::FileId;

use super::{Infer, Loc, Sdk, Unknown, Value, ValueKind};
use crate::hir::{
    BindingId, ClassId, ClassMemberKind, ExprId, ExprKind, Module, Parent, PatId, PatKind, PropKey, PropKind,
    RootSource,
};

impl Infer<'_> {
    /// What `value.name` is; `loc` is the expression that asks.
    pub fn property(&mut self, value: Value, name: &str, loc: Loc) -> Value {
        if !self.step() {
            return self.unknown(Unknown::Budget, loc);
        }
        self.depth += 1;
        // What may be a promise of some majors and a value of others is asked as the value, unless it is awaited.
        let members = self.alternatives(value);
        let is_promise = |this: &Self, member: &Value| matches!(this.kind(*member), ValueKind::Promise(_));
        let values: Vec<Value> = members.iter().copied().filter(|member| !is_promise(self, member)).collect();
        let value = match values.len() < members.len() && !matches!(name, "then" | "catch" | "finally") {
            true => self.join(values).unwrap_or(value),
            false => value,
        };
        let result = self.map(value, |this, member| this.property_of(member, name, loc));
        self.depth -= 1;
        result
    }

    fn property_of(&mut self, value: Value, name: &str, loc: Loc) -> Value {
        match self.kind(value).clone() {
            ValueKind::Sdk(sdk) => self.sdk_property(sdk, name, loc),
            ValueKind::Object(object) => self.object_property(object, name, loc),
            ValueKind::Rest(base, taken) => match taken.iter().any(|key| key == name) {
                true => self.make(ValueKind::Undefined),
                false => self.property(base, name, loc),
            },
            ValueKind::Merged(parts) => {
                let mut values = Vec::new();
                for part in parts.into_iter().rev() {
                    let value = self.property(part, name, loc);
                    if *self.kind(value) != ValueKind::Undefined {
                        values.push(value);
                    }
                }
                match values.is_empty() {
                    true => self.make(ValueKind::Undefined),
                    false => self.join_or_unknown(values, loc),
                }
            }
            ValueKind::Namespace(_) if name == "default" => value,
            ValueKind::Namespace(entry) => self.export_of_entry(entry, name, loc),
            ValueKind::Module(file) => self.export_of_file(file, name, loc),
            ValueKind::Instance(file, class) => self.class_member(file, class, name, false, loc),
            ValueKind::Class(file, class) => self.class_member(file, class, name, true, loc),
            ValueKind::Array(_) | ValueKind::Derived(_) | ValueKind::Tail(..) => match name.parse::<usize>() {
                Ok(index) => self.element_at(value, index, loc),
                Err(_) if name == "length" => self.make(ValueKind::Opaque),
                Err(_) => self.unknown(Unknown::Property, loc),
            },
            ValueKind::Global(_) => self.make(ValueKind::Global(loc)),
            // `x?.name` of nothing is nothing; without `?.` it throws, which no value comes out of.
            ValueKind::Undefined | ValueKind::Null => self.make(ValueKind::Undefined),
            ValueKind::Opaque | ValueKind::Bool(_) | ValueKind::Literal(_) => self.make(ValueKind::Opaque),
            ValueKind::Unknown(..) => value,
            ValueKind::Declared(file, members, _) => match self.declared_property(file, members, name, loc) {
                Some(value) => value,
                None => self.unknown(Unknown::Property, loc),
            },
            ValueKind::Function(..) | ValueKind::Builtin(_) | ValueKind::Export(_) | ValueKind::Promise(_) => {
                self.unknown(Unknown::Property, loc)
            }
            ValueKind::Union(_) => self.property(value, name, loc),
        }
    }

    fn sdk_property(&mut self, sdk: Sdk, name: &str, loc: Loc) -> Value {
        let types = &self.program.types;
        match types.ty(sdk.ty) {
            Ty::Record(record) => match types.property(*record, name) {
                Some(ty) => self.sdk_value(ty, sdk.origin, loc),
                None => self.unknown(Unknown::Property, loc),
            },
            Ty::Dict(ty) => self.sdk_value(*ty, sdk.origin, loc),
            Ty::Array(ty) => match name.parse::<usize>() {
                Ok(_) => self.sdk_value(*ty, sdk.origin, loc),
                Err(_) if name == "length" => self.make(ValueKind::Opaque),
                Err(_) => self.unknown(Unknown::Property, loc),
            },
            Ty::Plain => self.make(ValueKind::Opaque),
            _ => self.unknown(Unknown::Property, loc),
        }
    }

    /// A property of an object literal: the last entry of that name, through spreads and later assignments.
    fn object_property(&mut self, object: Loc, name: &str, loc: Loc) -> Value {
        let module = self.module(object.file);
        let ExprKind::Object(props) = module.expr(object.expr).kind else {
            return self.unknown(Unknown::Property, loc);
        };
        let mut values = Vec::new();
        let mut certain = false;
        for write in self.property_writes(object, name) {
            values.push(self.eval(write));
        }
        for (_, prop) in module.props(props).rev() {
            match prop.key {
                PropKey::Name(key) if module.name(key) == name => {
                    values.push(match prop.kind {
                        PropKind::Getter => {
                            let getter = self.eval(object.at(prop.value));
                            self.called(getter, loc)
                        }
                        PropKind::Setter => continue,
                        _ => self.eval(object.at(prop.value)),
                    });
                    certain = true;
                }
                PropKey::Name(_) => {}
                PropKey::Computed(key) => match self.literal_text(object.at(key)) {
                    Some(key) if key == name => {
                        values.push(self.eval(object.at(prop.value)));
                        certain = true;
                    }
                    Some(_) => {}
                    None => values.push(self.unknown(Unknown::Property, loc)),
                },
                PropKey::None => {
                    let spread = self.eval(object.at(prop.value));
                    for part in self.alternatives(spread) {
                        let value = match self.kind(part) {
                            // Spreading nothing adds nothing.
                            ValueKind::Undefined | ValueKind::Null | ValueKind::Opaque | ValueKind::Bool(_) => continue,
                            _ => self.property(part, name, loc),
                        };
                        if *self.kind(value) != ValueKind::Undefined {
                            values.push(value);
                        }
                    }
                }
            }
            if certain {
                break;
            }
        }
        if !certain && values.is_empty() {
            return self.make(ValueKind::Undefined);
        }
        self.join_or_unknown(values, loc)
    }

    /// The values of `x.name = value` where `x` is the name that the object was given.
    pub(super) fn property_writes(&mut self, object: Loc, name: &str) -> Vec<Loc> {
        let module = self.module(object.file);
        let Some(binding) = module.binding_of_value(object.expr) else { return Vec::new() };
        self.member_writes(object.file, binding)
            .into_iter()
            .filter(|(target, _)| match module.expr(*target).kind {
                ExprKind::Member { property, .. } => module.name(property) == name,
                ExprKind::Index { index, .. } => module.string(index) == Some(name),
                _ => false,
            })
            .map(|(_, value)| object.at(value))
            .collect()
    }

    /// All `binding.x = value` and `binding['x'] = value`: target and value.
    pub(super) fn member_writes(&self, file: FileId, binding: BindingId) -> Vec<(ExprId, ExprId)> {
        let module = self.module(file);
        let mut writes = Vec::new();
        for reference in module.refs(binding) {
            // `(x as any).name = …`
            let mut object = *reference;
            while let Parent::Expr(parent) = module.expr_parent(object)
                && matches!(module.expr(parent).kind, ExprKind::Cast { .. } | ExprKind::NonNull(_))
            {
                object = parent;
            }
            let Parent::Expr(member) = module.expr_parent(object) else { continue };
            let is_object = match module.expr(member).kind {
                ExprKind::Member { object: of, .. } | ExprKind::Index { object: of, .. } => of == object,
                _ => false,
            };
            if !is_object {
                continue;
            }
            let Parent::Pat(target) = module.expr_parent(member) else { continue };
            if module.pat(target).kind != PatKind::Target(member) {
                continue;
            }
            if let crate::hir::PatRole::Root(root) = module.pat(target).role
                && let RootSource::Value(value) = module.root(root).source
            {
                writes.push((member, value));
            }
        }
        writes
    }

    fn class_member(&mut self, file: FileId, class: ClassId, name: &str, is_static: bool, loc: Loc) -> Value {
        let module = self.module(file);
        let members = module.class(class).members;
        let mut values = Vec::new();
        let mut annotation = None;
        for (_, member) in module.class_members(members) {
            let PropKey::Name(key) = member.key else { continue };
            if member.is_static != is_static || module.name(key) != name {
                continue;
            }
            annotation = annotation.or(member.annotation);
            match (member.kind, member.value) {
                (ClassMemberKind::Field | ClassMemberKind::Method, Some(value)) => {
                    values.push(self.eval_in(file, value));
                }
                (ClassMemberKind::Getter, Some(getter)) => {
                    let getter = self.eval_in(file, getter);
                    values.push(self.called(getter, loc));
                }
                _ => {}
            }
        }
        if !is_static {
            for value in self.this_writes(file, class, name) {
                values.push(self.eval_in(file, value));
            }
            for pattern in parameter_properties(module, class, name) {
                values.push(self.eval_pattern(file, pattern, loc));
            }
        }
        if values.is_empty() {
            if let Some(value) = annotation.and_then(|annotation| self.declared(file, annotation, loc)) {
                return value;
            }
            if let Some(base) = module.class(class).extends {
                let base = self.eval_in(file, base);
                return match *self.kind(base) {
                    ValueKind::Class(file, class) => self.class_member(file, class, name, is_static, loc),
                    // What a class of an SDK gives to those that extend it.
                    ValueKind::Export(export) if !is_static => {
                        match self.program.types.ty(self.program.types.value(export).ty) {
                            Ty::Class(signature) => {
                                let instance = self.sdk_value(signature.result, None, loc);
                                self.property(instance, name, loc)
                            }
                            _ => self.unknown(Unknown::Property, loc),
                        }
                    }
                    _ => self.unknown(Unknown::Property, loc),
                };
            }
            return self.unknown(Unknown::Property, loc);
        }
        self.join_or_unknown(values, loc)
    }

    /// The values of `this.name = value` in the methods of a class.
    fn this_writes(&self, file: FileId, class: ClassId, name: &str) -> Vec<ExprId> {
        let module = self.module(file);
        let Some(name) = module.names.get(name) else { return Vec::new() };
        let mut values = Vec::new();
        for root in module.this_assignments() {
            let (member, value) = root;
            let ExprKind::Member { property, .. } = module.expr(member).kind else { continue };
            if property == name && module.class_of_this(member) == Some(class) {
                values.push(value);
            }
        }
        values
    }
}

/// The parameters of a class's constructor that are fields called `name`: `constructor(private readonly name: T)`.
fn parameter_properties<'m>(module: &'m Module, class: ClassId, name: &'m str) -> impl Iterator<Item = PatId> + 'm {
    let members = module.class_members(module.class(class).members);
    let constructors = members.filter(|(_, member)| member.kind == ClassMemberKind::Constructor);
    let functions = constructors.filter_map(|(_, member)| match module.expr(member.value?).kind {
        ExprKind::Function(function) => Some(function),
        _ => None,
    });
    functions.flat_map(|function| module.roots(module.function(function).params)).filter_map(move |(_, root)| {
        let RootSource::Param { is_property: true, .. } = root.source else { return None };
        let mut pattern = root.pattern;
        if let PatKind::Default { pattern: inner, .. } = module.pat(pattern).kind {
            pattern = inner;
        }
        match module.pat(pattern).kind {
            PatKind::Binding(binding) if module.name(module.binding(binding).name) == name => Some(root.pattern),
            _ => None,
        }
    })
}
