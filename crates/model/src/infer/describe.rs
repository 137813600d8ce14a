//! Values in words, for `why` and for tests.

use agentcheck_catalog::Ty;
use agentcheck_syntax::{Encoding, FileId, LineIndex};

use super::{Infer, Loc, Value, ValueKind};

/// Longer texts are cut.
const SHOWN: usize = 60;

impl Infer<'_> {
    /// Where an expression stands: `12:3`, with its file unless that is `home`.
    pub fn place(&self, loc: Loc, home: FileId) -> String {
        let module = self.module(loc.file);
        let start = module.expr(loc.expr).span.start;
        let position = LineIndex::new(&module.source).position(&module.source, start, Encoding::Utf16);
        let (line, column) = (position.line + 1, position.column + 1);
        match self.program.file(loc.file) {
            Some(file) if loc.file != home => format!("{}:{line}:{column}", file.path),
            _ => format!("{line}:{column}"),
        }
    }

    /// The source of an expression on one line, cut to a length that fits a message.
    pub fn text(&self, loc: Loc) -> String {
        let module = self.module(loc.file);
        let text = module.text(module.expr(loc.expr).span).split_whitespace().collect::<Vec<_>>().join(" ");
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// A value in words. Places in `home` are shown without their file.
    pub fn describe(&self, value: Value, home: FileId) -> String {
        match self.kind(value) {
            ValueKind::Unknown(why, loc) => format!("unknown: {} ({})", why.describe(), self.place(*loc, home)),
            ValueKind::Opaque => "no SDK value".to_owned(),
            ValueKind::Undefined => "undefined".to_owned(),
            ValueKind::Null => "null".to_owned(),
            ValueKind::Bool(value) => value.to_string(),
            ValueKind::Literal(loc) => self.text(*loc),
            ValueKind::Object(loc) => format!("the object at {}", self.place(*loc, home)),
            ValueKind::Array(loc) => format!("the array at {}", self.place(*loc, home)),
            ValueKind::Tail(base, from) => format!("{} from element {from} on", self.describe(*base, home)),
            ValueKind::Derived(loc) => format!("an array made at {}", self.place(*loc, home)),
            ValueKind::Function(..) => "a function of the project".to_owned(),
            ValueKind::Class(..) => "a class of the project".to_owned(),
            ValueKind::Instance(..) => "an instance of a class of the project".to_owned(),
            ValueKind::Builtin(loc) => self.text(*loc),
            ValueKind::Sdk(sdk) => {
                let origin =
                    sdk.origin.map_or_else(String::new, |origin| format!(" from {}", self.place(origin, home)));
                format!("{}{origin}", self.type_name(self.program.types.ty(sdk.ty)))
            }
            ValueKind::Declared(..) => "a value of a type of the project".to_owned(),
            ValueKind::Export(export) => {
                let export = self.program.types.value(*export);
                format!("{} of {}", export.name, export.entry)
            }
            ValueKind::Namespace(entry) => {
                format!("everything of {}", self.program.types.entry(*entry).specifier)
            }
            ValueKind::Module(_) => "a module of the project".to_owned(),
            ValueKind::Global(loc) => format!("{} of the language or platform", self.text(*loc)),
            ValueKind::Promise(inner) => format!("a promise of {}", self.describe(*inner, home)),
            ValueKind::Merged(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.describe(*part, home)).collect();
                format!("what is assigned of {}", parts.join(" and "))
            }
            ValueKind::Rest(base, taken) => format!("{} without {}", self.describe(*base, home), taken.join(", ")),
            ValueKind::Union(members) => {
                members.iter().map(|member| self.describe(*member, home)).collect::<Vec<_>>().join(", or ")
            }
        }
    }

    fn type_name(&self, ty: &Ty) -> String {
        let types = &self.program.types;
        let name = |id: &agentcheck_catalog::TyId| self.type_name(types.ty(*id));
        match ty {
            Ty::Any => "anything".to_owned(),
            Ty::Plain => "a plain value".to_owned(),
            Ty::Record(record) => types.record(*record).name.clone(),
            Ty::Promise(inner) => format!("a promise of {}", name(inner)),
            Ty::Array(inner) => format!("an array of {}", name(inner)),
            Ty::Stream(inner) => format!("a stream of {}", name(inner)),
            Ty::Dict(inner) => format!("an object of {}", name(inner)),
            Ty::Function(_) => "a function of the SDK".to_owned(),
            Ty::Class(_) => "a class of the SDK".to_owned(),
            Ty::Union(members) => members.iter().map(name).collect::<Vec<_>>().join(" or "),
        }
    }
}
