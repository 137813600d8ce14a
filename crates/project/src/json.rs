//! JSON that keeps what was read before an error, and knows where in the text a name or a string stands.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::problem::Problem;

/// A JSON value, borrowed from the text where it has no escapes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json<'t> {
    Text(Cow<'t, str>),
    Integer(u64),
    Bool(bool),
    List(Vec<Json<'t>>),
    Object(Vec<(Cow<'t, str>, Json<'t>)>),
    /// Anything else, by what it is called.
    Other(&'static str),
}

/// Which names of an object are kept, by the depth of the object (0 is the outermost) and the name.
pub(crate) type Keep = fn(depth: usize, name: &str) -> bool;

const UNREAD: Json<'static> = Json::Other("nothing");

/// Reads `text`, keeping only what `keep` says. On an error, what came before it is still returned.
pub(crate) fn read<'t>(text: &'t str, keep: Keep) -> (Json<'t>, Option<Problem>) {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut value = UNREAD;
    let mut deserializer = serde_json::Deserializer::from_str(bare);
    let result = Slot { value: &mut value, depth: 0, keep }.deserialize(&mut deserializer);
    let problem = result.and_then(|()| deserializer.end()).err().map(|error| {
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
        let line_start = bare.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
        let mut offset = (line_start + error.column().saturating_sub(1)).min(bare.len());
        while !bare.is_char_boundary(offset) {
            offset -= 1;
        }
        Problem::at_offset(bare, offset, message)
    });
    (value, problem)
}

impl<'t> Json<'t> {
    /// The entries of an object; none of anything else.
    pub fn entries(&self) -> &[(Cow<'t, str>, Json<'t>)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a name. Of several the last, as in JavaScript.
    pub fn get(&self, name: &str) -> Option<&Json<'t>> {
        self.entries().iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The string, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What this is called in a message.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Integer(_) => "a number",
            Self::Bool(_) => "a boolean",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Other(what) => what,
        }
    }
}

/// Where `part` stands in `text`, if it was borrowed from it: then its bytes lie among those of the text.
pub(crate) fn offset_in(text: &str, part: &str) -> Option<usize> {
    let offset = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    (offset < text.len()).then_some(offset)
}

struct Slot<'s, 't> {
    value: &'s mut Json<'t>,
    depth: usize,
    keep: Keep,
}

impl<'t> DeserializeSeed<'t> for Slot<'_, 't> {
    type Value = ();

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Slot<'_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'t str) -> Result<(), E> {
        *self.value = Json::Text(Cow::Borrowed(text));
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        *self.value = Json::Text(Cow::Owned(text.to_owned()));
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        *self.value = Json::Bool(value);
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        *self.value = Json::Integer(value);
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        *self.value = Json::Other("a number");
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        *self.value = Json::Other("a number");
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        *self.value = Json::Other("null");
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<(), A::Error> {
        *self.value = Json::List(Vec::new());
        let Json::List(elements) = self.value else { return Ok(()) };
        loop {
            let mut element = UNREAD;
            let result = list.next_element_seed(Slot { value: &mut element, depth: self.depth + 1, keep: self.keep });
            if element != UNREAD {
                elements.push(element);
            }
            if result?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'t>>(self, mut object: A) -> Result<(), A::Error> {
        *self.value = Json::Object(Vec::new());
        let Json::Object(entries) = self.value else { return Ok(()) };
        while let Some(Name(name)) = object.next_key_seed(NameSeed)? {
            if !(self.keep)(self.depth, &name) {
                object.next_value::<IgnoredAny>()?;
                continue;
            }
            let mut value = UNREAD;
            let result = object.next_value_seed(Slot { value: &mut value, depth: self.depth + 1, keep: self.keep });
            if value != UNREAD {
                entries.push((name, value));
            }
            result?;
        }
        Ok(())
    }
}

struct Name<'t>(Cow<'t, str>);

struct NameSeed;

impl<'t> DeserializeSeed<'t> for NameSeed {
    type Value = Name<'t>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Name<'t>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'t> Visitor<'t> for NameSeed {
    type Value = Name<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'t str) -> Result<Name<'t>, E> {
        Ok(Name(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Name<'t>, E> {
        Ok(Name(Cow::Owned(text.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(_: usize, _: &str) -> bool {
        true
    }

    #[test]
    fn keeps_what_was_read_before_an_error() {
        let text = "{\"a\": {\"b\": \"1\",\n<<<<<<< HEAD\n\"c\": \"2\"}}";
        let (json, problem) = read(text, all);
        let inner = json.get("a").expect("a");
        assert_eq!(inner.get("b").and_then(Json::text), Some("1"));
        assert_eq!(inner.get("c"), None);
        let problem = problem.expect("an error");
        assert_eq!((problem.line, problem.message.as_str()), (2, "key must be a string"));
    }

    #[test]
    fn names_know_their_place_and_unwanted_ones_are_dropped() {
        let text = "\u{feff}{ \"x\": [1, -2, null, true], \"y\": {\"y\": 1.5}, \"\\u0079\": \"é\" }";
        let (json, problem) = read(text, |depth, name| depth > 0 || name != "x");
        assert_eq!(problem, None);
        assert_eq!(json.entries().len(), 2);
        assert_eq!(offset_in(text, &json.entries()[0].0), text.find('y'));
        assert_eq!(offset_in(text, &json.entries()[1].0), None);
        assert_eq!(json.get("y").and_then(Json::text), Some("é"));
    }

    #[test]
    fn deep_nesting_and_other_values_are_no_danger() {
        let deep = format!("{{\"a\": \"1\", \"b\": {}", "[".repeat(200_000));
        let (json, problem) = read(&deep, all);
        assert_eq!(json.get("a").and_then(Json::text), Some("1"));
        assert!(problem.is_some());
        assert_eq!(read(&deep, |_, name| name == "a").0.entries().len(), 1);
        for text in ["", "[", "3", "\"x\"", "nul", "{}x", "\u{feff}"] {
            let (json, problem) = read(text, all);
            assert!(json.entries().is_empty());
            assert!(problem.is_some() || matches!(json, Json::Integer(3) | Json::Text(_)), "{text}");
        }
    }
}
