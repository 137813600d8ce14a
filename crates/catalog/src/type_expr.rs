//! Reads the type language of `types.toml`: `fn(Options) -> Promise<Result>`, `Step[]`, `Dict<Tool>`, `A | B`.

use crate::types::{RecordId, Signature, Ty, TyId};

/// Interns types while the table is built.
#[derive(Default)]
pub(crate) struct Interner {
    pub(crate) types: Vec<Ty>,
}

impl Interner {
    pub(crate) fn intern(&mut self, ty: Ty) -> TyId {
        let index = self.types.iter().position(|known| *known == ty).unwrap_or_else(|| {
            self.types.push(ty);
            self.types.len() - 1
        });
        TyId(index as u32)
    }
}

/// Parses `text`; `record` resolves a type name. The error says what is wrong with the text.
pub(crate) fn parse(
    text: &str,
    interner: &mut Interner,
    record: &dyn Fn(&str) -> Option<RecordId>,
) -> Result<TyId, String> {
    let mut parser = Parser { rest: text.trim(), interner, record };
    let ty = parser.union()?;
    if parser.rest.is_empty() { Ok(ty) } else { Err(format!("unexpected `{}` in the type `{text}`", parser.rest)) }
}

struct Parser<'a> {
    rest: &'a str,
    interner: &'a mut Interner,
    record: &'a dyn Fn(&str) -> Option<RecordId>,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(format!("expected `{token}` before `{}`", self.rest)) }
    }

    fn union(&mut self) -> Result<TyId, String> {
        let mut members = vec![self.postfix()?];
        while self.eat("|") {
            members.push(self.postfix()?);
        }
        Ok(if members.len() == 1 { members[0] } else { self.interner.intern(Ty::Union(members)) })
    }

    fn postfix(&mut self) -> Result<TyId, String> {
        let mut ty = self.primary()?;
        while self.eat("[]") {
            ty = self.interner.intern(Ty::Array(ty));
        }
        Ok(ty)
    }

    fn primary(&mut self) -> Result<TyId, String> {
        if self.eat("(") {
            let ty = self.union()?;
            self.expect(")")?;
            return Ok(ty);
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        let ty = match name {
            "any" => Ty::Any,
            "plain" | "string" | "number" | "boolean" => Ty::Plain,
            "fn" => Ty::Function(self.signature()?),
            "class" => Ty::Class(self.signature()?),
            "Promise" => Ty::Promise(self.argument()?),
            "Stream" => Ty::Stream(self.argument()?),
            "Dict" => Ty::Dict(self.argument()?),
            _ => Ty::Record((self.record)(name).ok_or_else(|| format!("`{name}` is not a type of this table"))?),
        };
        Ok(self.interner.intern(ty))
    }

    fn argument(&mut self) -> Result<TyId, String> {
        self.expect("<")?;
        let ty = self.union()?;
        self.expect(">")?;
        Ok(ty)
    }

    fn signature(&mut self) -> Result<Signature, String> {
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.eat(")") {
            if !params.is_empty() {
                self.expect(",")?;
            }
            params.push(self.union()?);
        }
        let result = if self.eat("->") { self.union()? } else { self.interner.intern(Ty::Any) };
        Ok(Signature { params, result })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_nested_types_and_shares_equal_ones() {
        let mut interner = Interner::default();
        let record = |name: &str| (name == "Step").then_some(RecordId(0));
        let first = parse("fn(Step, plain) -> Promise<Step[]>", &mut interner, &record).expect("a type");
        let again = parse(" fn( Step,string )->Promise< Step[] >", &mut interner, &record).expect("a type");
        assert_eq!(first, again);
        let Ty::Function(signature) = &interner.types[first.0 as usize] else { panic!("a function") };
        assert_eq!(signature.params.len(), 2);
        assert!(matches!(interner.types[signature.result.0 as usize], Ty::Promise(_)));
    }

    #[test]
    fn says_what_is_wrong() {
        let mut interner = Interner::default();
        let none = |_: &str| None;
        assert_eq!(parse("Nope", &mut interner, &none), Err("`Nope` is not a type of this table".to_owned()));
        assert_eq!(parse("plain]", &mut interner, &none), Err("unexpected `]` in the type `plain]`".to_owned()));
        assert!(parse("fn(plain", &mut interner, &none).is_err());
    }
}
