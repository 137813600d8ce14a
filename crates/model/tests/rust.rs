//! What names mean in Rust, and what macros hold.

use std::path::Path;
use std::sync::Arc;

use agentcheck_catalog::TypeTable;
use agentcheck_model::rust::hir::{ExprKind, ScopeId, TypeKind};
use agentcheck_model::rust::{ItemKind, Named, RustPackage, RustView};
use agentcheck_model::{Program, ProgramFile, lower};
use agentcheck_syntax::{FileId, SourceType};

/// A program of the files of one package that depends on rmcp, and on rig under another name.
fn program(files: &[(&str, &str)]) -> Program {
    let package = Arc::new(RustPackage {
        root: "/repo".to_owned(),
        library: "own".to_owned(),
        dependencies: vec![("rmcp".to_owned(), "rmcp".to_owned()), ("agents".to_owned(), "rig".to_owned())],
    });
    let source_type = SourceType::of_path(Path::new("x.rs")).expect("a kind of file that is read");
    let files = files.iter().enumerate().map(|(index, (path, text))| {
        let file = ProgramFile {
            path: Arc::from(format!("/repo/{path}")),
            module: Arc::new(lower(source_type, Arc::from(*text))),
            links: Default::default(),
            versions: Vec::new(),
            package: Some(Arc::clone(&package)),
        };
        (FileId(index as u32), file)
    });
    Program::new(Arc::new(TypeTable::default()), files)
}

/// What the type of the first parameter of the function `f` means, wherever it stands.
fn parameter(program: &Program) -> String {
    for file in program.file_ids() {
        let view = RustView::new(program, file).expect("a file of Rust");
        let Some((_, function)) = view.module.all_functions().find(|(_, function)| view.text(function.name) == "f")
        else {
            continue;
        };
        let TypeKind::Path { path, .. } = &function.params[0].ty.kind else { panic!("a path") };
        return match view.resolve(function.scope, path) {
            Some(Named::External { package, path, certain }) => {
                format!("{package}: {}{}", path.join("::"), if certain { "" } else { "?" })
            }
            Some(Named::Item(item)) => match item.kind {
                ItemKind::Type(index) => format!("{}#{index}", program.file(item.file).expect("a file").path),
                _ => "another item".to_owned(),
            },
            None => "nothing".to_owned(),
        };
    }
    panic!("no function f")
}

#[test]
fn paths_lead_through_use() {
    let alone = |text: &str| parameter(&program(&[("src/lib.rs", text)]));
    assert_eq!(alone("use rmcp::model::CallToolResult; fn f(x: CallToolResult) {}"), "rmcp: model::CallToolResult");
    assert_eq!(alone("use rmcp::{self, model::{Tool as T}}; fn f(x: T) {}"), "rmcp: model::Tool");
    assert_eq!(alone("use rmcp::{self, model}; fn f(x: model::Tool) {}"), "rmcp: model::Tool");
    assert_eq!(alone("fn f(x: rmcp::ErrorData) {}"), "rmcp: ErrorData");
    assert_eq!(alone("use agents::prelude::*; fn f(x: Agent) {}"), "rig: prelude::Agent?");
    assert_eq!(alone("use agents::*; struct Agent; fn f(x: Agent) {}"), "/repo/src/lib.rs#0");
    assert_eq!(alone("use std::fs::File; fn f(x: File) {}"), "std: fs::File");
    assert_eq!(alone("fn f(x: Unknown) {}"), "nothing");
    assert_eq!(alone("use other::Thing; fn f(x: Thing) {}"), "nothing");
    assert_eq!(alone("mod inner { pub struct A; } use inner::A; fn f(x: A) {}"), "/repo/src/lib.rs#0");
    assert_eq!(alone("use rmcp::A; mod inner { fn f(x: A) {} }"), "nothing");
    assert_eq!(alone("use rmcp::A; mod inner { use super::*; fn f(x: A) {} }"), "rmcp: A");
    assert_eq!(alone("fn g() { use rmcp::A; fn f(x: A) {} }"), "rmcp: A");
}

#[test]
fn paths_lead_through_the_files_of_a_crate() {
    let files = |main: &str| {
        parameter(&program(&[
            ("src/main.rs", main),
            ("src/types/mod.rs", "mod deep; pub use deep::Deep; pub use rmcp::model::Tool; pub struct Same;"),
            ("src/types/deep.rs", "pub struct Deep; pub struct Same;"),
            ("src/prelude.rs", "pub use rmcp::{tool, ErrorData}; pub use crate::types::*;"),
        ]))
    };
    assert_eq!(files("use crate::types::Deep; fn f(x: Deep) {}"), "/repo/src/types/deep.rs#0");
    assert_eq!(files("use crate::types::deep::Same; fn f(x: Same) {}"), "/repo/src/types/deep.rs#1");
    assert_eq!(files("use types::Same; mod types; fn f(x: Same) {}"), "/repo/src/types/mod.rs#0");
    assert_eq!(files("use crate::types::Tool; fn f(x: Tool) {}"), "rmcp: model::Tool");
    assert_eq!(files("use crate::prelude::*; fn f(x: ErrorData) {}"), "rmcp: ErrorData");
    assert_eq!(files("use crate::prelude::*; fn f(x: Same) {}"), "/repo/src/types/mod.rs#0");
}

/// The arguments of the first macro, as texts; local names are marked.
fn macro_arguments(body: &str) -> Vec<String> {
    let program = program(&[("src/lib.rs", &format!("fn f(error: E, count: u32) {{ {body}; }}"))]);
    let view = RustView::new(&program, FileId(0)).expect("a file of Rust");
    let (_, expr) =
        view.module.all_exprs().find(|(_, expr)| matches!(expr.kind, ExprKind::Macro { .. })).expect("a macro");
    let ExprKind::Macro { args, .. } = &expr.kind else { unreachable!() };
    let shown = |id: &_| {
        let expr = view.expr(*id);
        let is_local = matches!(expr.kind, ExprKind::Path { binding: Some(_), .. });
        assert_eq!(expr.scope, ScopeId(0));
        format!("{}{}", view.text(expr.span), if is_local { "!" } else { "" })
    };
    args.iter().map(shown).collect()
}

#[test]
fn the_tokens_of_macros_are_read() {
    assert_eq!(macro_arguments("vec![a(count), 2]"), ["a(count)", "2"]);
    assert_eq!(macro_arguments("vec![0; count]"), ["0", "count!"]);
    assert_eq!(
        macro_arguments("format!(\"{error:?} {count} {{no}} {other}\")"),
        ["\"{error:?} {count} {{no}} {other}\"", "error!", "count!"]
    );
    assert_eq!(
        macro_arguments("json!({ \"a\": error.to_string(), \"b\": [count, 1] })"),
        ["\"a\"", "error.to_string()", "\"b\"", "count!", "1"]
    );
    assert_eq!(macro_arguments("info!(%error, count = ?count, \"done\")"), ["error!", "count!", "count!", "\"done\""]);
}
