//! What inference says of small programs. `probe` in a source is the expression that is asked about.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use agentcheck_catalog::{Catalog, TableFile, load};
use agentcheck_model::hir::{BindingDef, Module};
use agentcheck_model::{Infer, Link, Program, ProgramFile, Steps, lower};
use agentcheck_syntax::{FileId, SourceType};

const FILE: FileId = FileId(0);

/// The product's own tables.
fn catalog() -> Catalog {
    fn read(root: &Path, folder: &Path, files: &mut Vec<TableFile>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                read(root, &path, files);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                files.push(TableFile { path: name, text: fs::read_to_string(&path).unwrap() });
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    let mut files = Vec::new();
    read(&root, &root, &mut files);
    load(&files).unwrap().catalog
}

fn program(sources: &[(&str, &str)]) -> Program {
    let types = Arc::new(catalog().types);
    let files = sources.iter().enumerate().map(|(index, (path, source))| {
        let module = lower(SourceType::of_path(Path::new(path)).unwrap(), Arc::from(*source));
        let links = module
            .specifiers()
            .into_iter()
            .filter_map(|specifier| {
                let own = sources.iter().position(|(path, _)| {
                    path.split_once('.').map(|(stem, _)| format!("./{stem}")).as_deref() == Some(specifier)
                });
                let target = match own {
                    Some(file) => Link::File(FileId(file as u32)),
                    None => Link::Sdk(types.find_entry(specifier)?),
                };
                Some((specifier.to_owned(), target))
            })
            .collect();
        let file = ProgramFile {
            path: Arc::from(*path),
            module: Arc::new(module),
            links,
            versions: Vec::new(),
            package: None,
        };
        (FileId(index as u32), file)
    });
    let files: Vec<_> = files.collect();
    Program::new(types, files)
}

/// The initial value of `probe`, in words.
fn says(source: &str) -> String {
    says_of(&[("main.ts", source)])
}

fn says_of(sources: &[(&str, &str)]) -> String {
    let program = program(sources);
    let mut infer = Infer::new(&program, FileId(0));
    let module = program.module(FILE);
    let value = infer.eval_in(FILE, probe(module));
    infer.describe(value, FILE)
}

fn probe(module: &Module) -> agentcheck_model::hir::ExprId {
    let (binding, _) = module
        .all_bindings()
        .find(|(_, binding)| module.name(binding.name) == "probe" && matches!(binding.def, BindingDef::Pattern { .. }))
        .unwrap();
    module.value_of_binding(binding).unwrap()
}

fn asserts(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(says(source), *expected, "{source}");
    }
}

#[test]
fn imports_in_every_form() {
    asserts(&[
        ("import { tool } from 'ai'; const probe = tool;", "tool of ai"),
        ("import { tool as t } from 'ai'; const probe = t;", "tool of ai"),
        ("import * as ai from 'ai'; const probe = ai.tool;", "tool of ai"),
        ("import ai from 'ai'; const probe = ai.tool;", "tool of ai"),
        ("const { tool } = require('ai'); const probe = tool;", "tool of ai"),
        ("const ai = require('ai'); const probe = ai['tool'];", "tool of ai"),
        ("const { tool: t } = await import('ai'); const probe = t;", "tool of ai"),
        ("import ai = require('ai'); const probe = ai.tool;", "tool of ai"),
        ("const probe = tool;", "tool of the language or platform"),
        (
            "import { tool } from 'other'; const probe = tool;",
            "unknown: imported from a module that was not read (1:45)",
        ),
    ]);
}

#[test]
fn the_nearest_declaration_counts() {
    asserts(&[
        (
            "import { tool } from 'ai'; function f(tool) { const probe = tool; }",
            "unknown: a parameter whose callers are not all in sight (1:61)",
        ),
        ("import { tool } from 'ai'; { const tool = 1; const probe = tool; }", "1"),
        ("import { tool } from 'ai'; function f() { const probe = tool; { const tool = 1; } }", "tool of ai"),
        ("const probe = f; function f() { return 1 }", "a function of the project"),
    ]);
}

#[test]
fn results_of_calls() {
    let with = |rest: &str| says(&format!("import {{ generateText, streamText, ToolLoopAgent }} from 'ai'; {rest}"));
    assert!(with("const probe = generateText({});").starts_with("a promise of GenerateTextResult from 1:"));
    assert!(with("const probe = (await generateText({})).steps;").starts_with("an array of Step from"));
    assert!(
        with("const { response } = await generateText({}); const probe = response;").starts_with("ResponseMetadata")
    );
    assert!(
        with("const { response: { messages } } = await generateText({}); const probe = messages;")
            .starts_with("an array of ModelMessage")
    );
    assert!(
        with("const r = await streamText({}); const probe = r.response;").contains("a promise of ResponseMetadata")
    );
    assert!(
        with("const agent = new ToolLoopAgent({}); const probe = await agent.generate({});")
            .starts_with("GenerateTextResult")
    );
    assert!(with("let r; r = await generateText({}); const probe = r;").starts_with("GenerateTextResult"));
    assert!(with("const { steps: [first] } = await generateText({}); const probe = first;").starts_with("Step from"));
    assert!(
        with("const { text, ...rest } = await generateText({}); const probe = rest.response;")
            .starts_with("ResponseMetadata")
    );
    assert!(with("const probe = await generateText({}).then(r => r.response);").starts_with("ResponseMetadata"));
    assert!(
        with("const r = streamText({}); const [probe1] = await Promise.all([r.response]); const probe = probe1;")
            .contains("ResponseMetadata")
    );
    assert!(with("const probe = (generateText as any)({});").starts_with("a promise of GenerateTextResult"));
}

#[test]
fn values_through_the_project() {
    asserts(&[
        ("const o = { a: 1 }; const probe = o.a;", "1"),
        ("const o = { a: 1, a: 2 }; const probe = o.a;", "2"),
        ("const o = { ...{ a: 1 }, b: 2 }; const probe = o.a;", "1"),
        ("const o = { b: 2 }; const probe = o.a;", "undefined"),
        ("const { a = 3 } = {}; const probe = a;", "3"),
        ("const { a: { b } } = { a: { b: 4 } }; const probe = b;", "4"),
        ("const [, b] = [1, 2]; const probe = b;", "2"),
        ("const probe = c ? 1 : 2;", "1, or 2"),
        ("const probe = x ?? 2;", "x of the language or platform, or 2"),
        ("const f = () => 5; const probe = f();", "5"),
        ("async function f() { return 6 } const probe = await f();", "6"),
        ("function f(x) { const probe = x; } f(7);", "7"),
        ("function f({ x }) { const probe = x; } f({ x: 8 });", "8"),
        (
            "export function f(x) { const probe = x; } f(7);",
            "7, or unknown: a parameter whose callers are not all in sight (1:38)",
        ),
        ("class C { x = 9; m() { const probe = this.x; } }", "9"),
        ("class C { m() { return 10 } } const probe = new C().m();", "10"),
        ("class C { constructor() { this.x = 11; } m() { const probe = this.x; } }", "11"),
        ("const o: any = {}; o.a = 12; const probe = o.a;", "12"),
        ("const a = [1]; for (const x of a) { const probe = x; }", "1"),
        ("const probe = [1, 2].find(x => x);", "1, or 2"),
        ("const probe = [1].map(x => 'y')[0];", "'y'"),
        ("enum E { A } const probe = E.A;", "no SDK value"),
    ]);
}

#[test]
fn callbacks_receive_what_the_sdk_gives_them() {
    let with = |rest: &str| says(&format!("import {{ streamText, tool }} from 'ai'; {rest}"));
    assert!(with("streamText({ onFinish: (e) => { const probe = e.response; } });").starts_with("ResponseMetadata"));
    assert!(
        with("streamText({ onFinish({ response }) { const probe = response; } });").starts_with("ResponseMetadata")
    );
    assert!(
        with("const o = { onFinish: ({ steps }) => { const probe = steps; } }; streamText(o);")
            .starts_with("an array of Step")
    );
    assert!(
        with("const done = ({ steps }) => { const probe = steps; }; streamText({ onFinish: done });")
            .starts_with("an array of Step")
    );
    assert!(
        with("tool({ execute: async (input, options) => { const probe = options.messages; } });")
            .starts_with("an array of ModelMessage")
    );
    assert!(
        with("streamText({ ...{ onStepFinish: step => { const probe = step.response; } } });")
            .starts_with("StepResponseMetadata")
    );
}

#[test]
fn annotations_tell_where_values_do_not() {
    assert_eq!(
        says("import type { ModelMessage } from 'ai'; function f(x: ModelMessage[]) { const probe = x; }"),
        "an array of ModelMessage"
    );
    assert_eq!(
        says("import type { UIMessage } from 'ai'; export function f({ m }: { m: UIMessage[] }) { const probe = m; }"),
        "an array of UIMessage"
    );
    assert_eq!(says("import type * as ai from 'ai'; let x: ai.ModelMessage; const probe = x;"), "ModelMessage");
    assert_eq!(
        says(
            "import type { StepResult as S } from 'ai'; type T = { s: S }; export const f = (t: T) => { const { s } = t; const probe = s; }"
        ),
        "Step"
    );
}

#[test]
fn other_files_are_followed() {
    let main = "import { run, agent } from './lib'; const probe = await run();";
    let lib = "import { generateText } from 'ai'; export const run = () => generateText({}); export { run as agent };";
    assert!(says_of(&[("main.ts", main), ("lib.ts", lib)]).starts_with("GenerateTextResult from lib.ts:1:61"));
    let barrel = "export * from './deep';";
    let deep = "export { tool } from 'ai';";
    assert_eq!(
        says_of(&[
            ("main.ts", "import { tool } from './lib'; const probe = tool;"),
            ("lib.ts", barrel),
            ("deep.ts", deep)
        ]),
        "tool of ai"
    );
    let circle = says_of(&[
        ("main.ts", "import { a } from './lib'; const probe = a; export const b = probe;"),
        ("lib.ts", "import { b } from './main'; export const a = b;"),
    ]);
    assert!(circle.contains("unknown: defined by itself"), "{circle}");
}

#[test]
fn steps_depend_on_the_budget_and_the_tools() {
    let steps = |options: &str| {
        let source = format!(
            "import {{ generateText, tool, isStepCount }} from 'ai'; import {{ openai }} from '@ai-sdk/openai'; generateText({options});"
        );
        let program = program(&[("main.ts", &source)]);
        let mut infer = Infer::new(&program, FileId(0));
        let sites = infer.sites(FILE);
        let call = sites.calls.iter().find(|call| call.name == "generateText").unwrap();
        infer.steps(call, &sites)
    };
    let local = "tools: { a: tool({ execute: async () => 1 }) }";
    assert_eq!(steps(&format!("{{ {local}, stopWhen: isStepCount(5) }}")), Steps::Several);
    assert_eq!(steps(&format!("{{ {local} }}")), Steps::One);
    assert_eq!(steps(&format!("{{ {local}, stopWhen: isStepCount(1) }}")), Steps::One);
    assert_eq!(steps(&format!("{{ {local}, ...unseen }}")), Steps::Unknown);
    assert_eq!(steps("{ stopWhen: isStepCount(5) }"), Steps::One);
    assert_eq!(steps("{ tools: unseen, stopWhen: isStepCount(5) }"), Steps::Unknown);
    assert_eq!(steps("{ tools: { a: openai.tools.webSearch({}) }, stopWhen: isStepCount(5) }"), Steps::One);
    assert_eq!(steps("{ tools: { a: tool({ inputSchema: 1 }) }, stopWhen: isStepCount(5) }"), Steps::One);
}
