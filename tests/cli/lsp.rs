//! The editor server, driven over its standard input and output like an editor does.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Project;

/// A running server.
struct Editor {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    root: String,
    next: i64,
}

impl Editor {
    fn start(project: &Project, encodings: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_agentcheck"))
            .arg("lsp")
            .current_dir(project.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let root = format!("file://{}", project.root().canonicalize().expect("a folder").display());
        let mut editor = Self { process, input, output, root, next: 0 };
        let params = json!({
            "capabilities": { "general": { "positionEncodings": encodings } },
            "workspaceFolders": [{ "uri": editor.root, "name": "project" }],
        });
        let answer = editor.ask("initialize", params);
        assert_eq!(answer["serverInfo"]["name"], "agentcheck");
        editor.tell("initialized", json!({}));
        editor
    }

    fn uri(&self, path: &str) -> String {
        format!("{}/{path}", self.root)
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("open");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request; returns the result.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].clone();
            }
        }
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("the server writes"), 0, "the server is gone");
            let line = line.trim();
            if let Some(text) = line.strip_prefix("Content-Length: ") {
                length = text.parse().expect("a number");
            } else if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the whole message");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn open(&mut self, path: &str, text: &str) {
        let document = json!({ "uri": self.uri(path), "languageId": "typescript", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, path: &str, version: i64, change: Value) {
        let document = json!({ "uri": self.uri(path), "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    }

    /// Waits for the findings of a file in this version: `line:column rule`, from 0.
    fn findings(&mut self, path: &str, version: i64) -> Vec<String> {
        let uri = self.uri(path);
        loop {
            let message = self.receive();
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
            {
                let diagnostics = params["diagnostics"].as_array().expect("a list");
                let line = |diagnostic: &Value| {
                    let start = &diagnostic["range"]["start"];
                    format!(
                        "{}:{} {}",
                        start["line"],
                        start["character"],
                        diagnostic["code"].as_str().unwrap_or_default()
                    )
                };
                return diagnostics.iter().map(line).collect();
            }
        }
    }

    fn stop(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        drop(self.input.take());
        assert!(self.process.wait().expect("it ends").success());
    }
}

const TEXT: &str = "import { generateText } from 'ai';\nexport const run = (model: any) =>\n  generateText({ model, prompt: '🙂', maxTokens: 5 });\n";

#[test]
fn shows_findings_as_the_text_changes() {
    let project = Project::new("7.0.173", &[("src/a.ts", "export {};\n")]);
    let mut editor = Editor::start(&project, &[]);
    // The text on the disk has no mistake, the unsaved one has.
    editor.open("src/a.ts", TEXT);
    assert_eq!(editor.findings("src/a.ts", 1), ["2:38 ai-sdk/max-tokens"]);
    let at = |line: u32, character: u32| json!({ "line": line, "character": character });
    let range = json!({ "start": at(2, 38), "end": at(2, 47) });
    editor.change("src/a.ts", 2, json!({ "range": range, "text": "maxOutputTokens" }));
    assert_eq!(editor.findings("src/a.ts", 2), Vec::<String>::new());
    editor.change("src/a.ts", 3, json!({ "text": TEXT }));
    assert_eq!(editor.findings("src/a.ts", 3), ["2:38 ai-sdk/max-tokens"]);
    editor.stop();
}

#[test]
fn counts_in_the_units_that_were_agreed_on() {
    let project = Project::new("7.0.173", &[("a.ts", TEXT)]);
    let mut editor = Editor::start(&project, &["utf-8", "utf-16"]);
    editor.open("a.ts", TEXT);
    assert_eq!(editor.findings("a.ts", 1), ["2:40 ai-sdk/max-tokens"]);
    editor.stop();
}

#[test]
fn a_change_in_one_file_shows_in_another() {
    let caller = "import { run } from './wrapper';\nexport const a = run({ maxTokens: 5 });\n";
    let wrapper = "import { generateText } from 'ai';\nexport const run = (options: any) => generateText(options);\n";
    let project = Project::new("7.0.173", &[("caller.ts", caller), ("wrapper.ts", wrapper)]);
    let mut editor = Editor::start(&project, &[]);
    editor.open("caller.ts", caller);
    assert_eq!(editor.findings("caller.ts", 1), ["1:23 ai-sdk/max-tokens"]);
    editor.open("wrapper.ts", &wrapper.replace("generateText(options)", "options"));
    assert_eq!(editor.findings("caller.ts", 1), Vec::<String>::new());
    editor.stop();
}

#[test]
fn offers_fixes_and_explains() {
    let project = Project::new("7.0.173", &[("a.ts", TEXT)]);
    let mut editor = Editor::start(&project, &[]);
    editor.open("a.ts", TEXT);
    editor.findings("a.ts", 1);
    let position = json!({ "line": 2, "character": 40 });
    let document = json!({ "uri": editor.uri("a.ts") });
    let range = json!({ "start": position, "end": position });
    let actions = editor.ask(
        "textDocument/codeAction",
        json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } }),
    );
    let titles: Vec<&str> =
        actions.as_array().expect("a list").iter().filter_map(|action| action["title"].as_str()).collect();
    assert_eq!(
        titles,
        [
            "Rename `maxTokens` to `maxOutputTokens`",
            "Ignore ai-sdk/max-tokens on this line",
            "Apply all safe fixes of agentcheck"
        ]
    );
    let edit = &actions[0]["edit"]["changes"][editor.uri("a.ts")][0];
    assert_eq!(edit["newText"], "maxOutputTokens");
    assert_eq!(edit["range"]["start"], json!({ "line": 2, "character": 38 }));
    let only = editor.ask(
        "textDocument/codeAction",
        json!({ "textDocument": document, "range": range, "context": { "only": ["source.fixAll"] } }),
    );
    assert_eq!(only.as_array().map(Vec::len), Some(1));
    let hover = editor.ask("textDocument/hover", json!({ "textDocument": document, "position": position }));
    let text = hover["contents"]["value"].as_str().expect("markdown");
    assert!(text.contains("ai-sdk/max-tokens") && text.contains("7.0.173"), "{text}");
    editor.stop();
}

#[test]
fn a_new_version_and_a_bad_configuration_apply_at_once() {
    let project = Project::new("7.0.173", &[("a.ts", TEXT)]);
    let mut editor = Editor::start(&project, &[]);
    editor.open("a.ts", TEXT);
    assert_eq!(editor.findings("a.ts", 1).len(), 1);
    project.write("package.json", r#"{"dependencies": {"ai": "4.3.19"}}"#);
    let changed = json!({ "changes": [{ "uri": editor.uri("package.json"), "type": 2 }] });
    editor.tell("workspace/didChangeWatchedFiles", changed);
    assert_eq!(editor.findings("a.ts", 1), Vec::<String>::new());
    project.write("agentcheck.toml", "pedantik = true\n");
    let changed = json!({ "changes": [{ "uri": editor.uri("agentcheck.toml"), "type": 1 }] });
    editor.tell("workspace/didChangeWatchedFiles", changed);
    let (mut told, mut marked) = (false, false);
    while !(told && marked) {
        let message = editor.receive();
        told |= message["method"] == "window/showMessage";
        marked |= message["params"]["uri"] == editor.uri("agentcheck.toml");
    }
    // The server lives on.
    project.write("agentcheck.toml", "pedantic = true\n");
    let changed = json!({ "changes": [{ "uri": editor.uri("agentcheck.toml"), "type": 2 }] });
    editor.tell("workspace/didChangeWatchedFiles", changed);
    assert_eq!(editor.findings("a.ts", 1), Vec::<String>::new());
    editor.stop();
}

#[test]
fn what_is_asked_right_after_a_change_is_about_the_new_text() {
    let project = Project::new("7.0.173", &[("src/a.ts", TEXT)]);
    let mut editor = Editor::start(&project, &["utf-8"]);
    editor.open("src/a.ts", TEXT);
    assert_eq!(editor.findings("src/a.ts", 1).len(), 1);
    let at = |line: u32, character: u32| json!({ "line": line, "character": character });
    let change = json!({ "range": { "start": at(0, 0), "end": at(0, 0) }, "text": "// One line more.\n" });
    editor.change("src/a.ts", 2, change);
    let document = json!({ "uri": editor.uri("src/a.ts") });
    let range = json!({ "start": at(3, 0), "end": at(3, 80) });
    let params = json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", params);
    let edit = &actions[0]["edit"]["changes"][editor.uri("src/a.ts")][0];
    assert_eq!(edit["range"]["start"]["line"], 3, "{actions}");
    editor.stop();
}

#[test]
fn a_new_file_counts_once_it_is_saved() {
    let project = Project::new("7.0.173", &[("src/a.ts", "export {};\n")]);
    let mut editor = Editor::start(&project, &["utf-8"]);
    editor.open("src/a.ts", "export {};\n");
    editor.findings("src/a.ts", 1);
    editor.open("src/new.ts", TEXT);
    project.write("src/new.ts", TEXT);
    let document = json!({ "uri": editor.uri("src/new.ts") });
    editor.tell("textDocument/didSave", json!({ "textDocument": document }));
    assert_eq!(editor.findings("src/new.ts", 1).len(), 1);
    editor.stop();
}
