//! Names of tools that the protocol does not allow.

use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::mcp::{Form, tools};

pub(crate) fn check(cx: &mut Context<'_>) {
    for tool in tools(cx) {
        let (true, Some(at)) = (tool.form != Form::LowLevel, tool.name) else { continue };
        let Some(name) = tool.name(cx) else { continue };
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let what = match name.chars().find(|c| !is_allowed(*c)) {
            _ if name.is_empty() => "is empty".to_owned(),
            Some(c) if c.is_whitespace() => "has white space in it".to_owned(),
            Some(c) => format!("has `{c}` in it"),
            None if name.len() > 128 => "is longer than 128 characters".to_owned(),
            None => continue,
        };
        let Some(verdict) = cx.judge(&tool.call.package, &["name"]) else { continue };
        let place = Place { file: at.file, span: cx.infer.module(at.file).expr(at.expr).span };
        let shown = if name.chars().count() > 40 { "This name".to_owned() } else { format!("The name `{name}`") };
        cx.report(&verdict, place, Details { slots: vec![("name", shown), ("what", what)], ..Details::default() });
    }
}
