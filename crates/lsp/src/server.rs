//! The loop: messages in, sessions begun and kept up to date.
//!
//! One thread. What waits in the queue is taken in before anything is linted, so that typing fast never queues up work. A
//! changed text goes into the running session, which lints again what depends on it; a change of what decides about
//! versions, configuration or which files there are begins a new one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agentcheck_catalog::Catalog;
use agentcheck_lint::{Report, builtin};
use agentcheck_project::{CONFIG_NAME, ConfigError, Disk, FileId, Overlay, Request, RunError, Session};
use agentcheck_syntax::Encoding;
use crossbeam_channel::RecvTimeoutError;
use lsp_server::{Connection, ErrorCode, Message, Notification, Response};
use serde_json::{Value, json};

use crate::actions::{FIX_ALL, Wanted};
use crate::diagnostics::diagnostic;
use crate::documents::{Document, Documents, range};
use crate::hover::hover;
use crate::uri;

/// How long the editor may go on typing before its text is looked at.
const PAUSE: Duration = Duration::from_millis(40);

const CODE_ACTION: &str = "textDocument/codeAction";
const HOVER: &str = "textDocument/hover";

/// Files whose change decides about more than themselves.
const DECIDING: [&str; 10] = [
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "yarn.lock",
    "bun.lock",
    "tsconfig.json",
    "Cargo.toml",
    "Cargo.lock",
    CONFIG_NAME,
];

/// Why the server stopped otherwise than it was told to.
#[derive(Debug)]
pub struct ServerError(pub String);

/// Serves an editor on standard input and output until it says goodbye.
pub fn serve() -> Result<(), ServerError> {
    let (connection, threads) = Connection::stdio();
    let failed = |error: &dyn std::fmt::Display| ServerError(error.to_string());
    let (id, params) = connection.initialize_start().map_err(|error| failed(&error))?;
    let encoding = encoding(&params);
    connection.initialize_finish(id, capabilities(encoding)).map_err(|error| failed(&error))?;
    let mut server = Server {
        connection: &connection,
        catalog: builtin::catalog(),
        roots: roots(&params),
        encoding,
        documents: Documents::default(),
        shown: BTreeSet::new(),
        asked: Vec::new(),
        unknown: BTreeSet::new(),
    };
    let result = server.run();
    drop(connection);
    threads.join().map_err(|error| failed(&error))?;
    result
}

/// UTF-8 where the editor has it, which costs nothing; else UTF-16, which every editor has.
fn encoding(params: &Value) -> Encoding {
    let offered = params["capabilities"]["general"]["positionEncodings"].as_array();
    match offered.is_some_and(|offered| offered.iter().any(|one| one == "utf-8")) {
        true => Encoding::Utf8,
        false => Encoding::Utf16,
    }
}

fn capabilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": if encoding == Encoding::Utf8 { "utf-8" } else { "utf-16" },
            "textDocumentSync": { "openClose": true, "change": 2, "save": true },
            "codeActionProvider": { "codeActionKinds": ["quickfix", FIX_ALL] },
            "hoverProvider": true,
            "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
        },
        "serverInfo": { "name": "agentcheck", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// The folders that are open.
fn roots(params: &Value) -> Vec<PathBuf> {
    let folders = params["workspaceFolders"].as_array().cloned().unwrap_or_default();
    let mut roots: Vec<PathBuf> = folders.iter().filter_map(|folder| uri::to_path(folder["uri"].as_str()?)).collect();
    if roots.is_empty() {
        roots.extend(params["rootUri"].as_str().and_then(uri::to_path));
    }
    roots
}

/// What the messages so far ask for.
#[derive(Default)]
struct Todo {
    /// Texts that changed.
    changed: BTreeSet<PathBuf>,
    /// What decides about other files changed.
    again: bool,
    exit: bool,
}

struct Server<'c> {
    connection: &'c Connection,
    catalog: &'c Catalog,
    roots: Vec<PathBuf>,
    encoding: Encoding,
    documents: Documents,
    /// The addresses for which diagnostics are shown.
    shown: BTreeSet<String>,
    /// Requests about a text that changed meanwhile: answered when it was looked at.
    asked: Vec<lsp_server::Request>,
    /// Open files that the running session does not know: ignored ones, and new ones that were not saved yet.
    unknown: BTreeSet<PathBuf>,
}

impl Server<'_> {
    fn run(&mut self) -> Result<(), ServerError> {
        loop {
            let cwd = self.roots.first().cloned().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
            // What is open outside of the folders is looked at as well.
            let mut paths = self.roots.clone();
            let is_inside = |path: &&PathBuf| self.roots.iter().any(|root| path.starts_with(root));
            paths.extend(self.documents.open.keys().filter(|path| !is_inside(path) && path.exists()).cloned());
            let request = Request { cwd: cwd.clone(), paths, ..Request::default() };
            let mut files = Overlay::new(&Disk);
            for (path, document) in &self.documents.open {
                files.lay(path.clone(), Arc::clone(&document.text));
            }
            let todo = match Session::start(&request, &files, self.catalog) {
                Ok(mut session) => self.keep(&mut session, &cwd)?,
                Err(error) => {
                    self.tell(&error, &cwd)?;
                    self.wait(&mut None)?
                }
            };
            if todo.exit {
                return Ok(());
            }
        }
    }

    /// Serves out of one session for as long as it is good.
    fn keep(&mut self, session: &mut Session<'_>, cwd: &Path) -> Result<Todo, ServerError> {
        let mut report = session.report();
        self.publish(session, &report, cwd)?;
        self.unknown = self.documents.open.keys().filter(|path| session.file_at(path).is_none()).cloned().collect();
        loop {
            let todo = self.wait(&mut Some((&report, session, cwd)))?;
            if todo.again || todo.exit {
                return Ok(todo);
            }
            let mut texts: BTreeMap<FileId, Arc<str>> = BTreeMap::new();
            for path in &todo.changed {
                match (self.documents.get(path), session.file_at(path)) {
                    (Some(document), Some(file)) => {
                        texts.insert(file, Arc::clone(&document.text));
                    }
                    (Some(_), None) if self.unknown.contains(path) && !decides(path) => {}
                    _ => return Ok(Todo { again: true, ..todo }),
                }
            }
            if !texts.is_empty() {
                session.replace(&texts);
            }
            report = session.report();
            self.publish(session, &report, cwd)?;
        }
    }

    /// Takes messages until there is something to do and the editor has paused.
    fn wait(&mut self, known: &mut Option<(&Report, &mut Session<'_>, &Path)>) -> Result<Todo, ServerError> {
        let mut todo = Todo::default();
        for request in std::mem::take(&mut self.asked) {
            self.answer(request, known)?;
        }
        loop {
            let is_idle = todo.changed.is_empty() && !todo.again;
            let message = if is_idle {
                match self.connection.receiver.recv() {
                    Ok(message) => message,
                    Err(_) => return Ok(Todo { exit: true, ..todo }),
                }
            } else {
                match self.connection.receiver.recv_timeout(PAUSE) {
                    Ok(message) => message,
                    Err(RecvTimeoutError::Timeout) => return Ok(todo),
                    Err(RecvTimeoutError::Disconnected) => return Ok(Todo { exit: true, ..todo }),
                }
            };
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request).map_err(|error| ServerError(error.to_string()))? {
                        return Ok(Todo { exit: true, ..todo });
                    }
                    // What it asks about is the text as it is now.
                    if !is_idle && matches!(request.method.as_str(), CODE_ACTION | HOVER) {
                        self.asked.push(request);
                        return Ok(todo);
                    }
                    self.answer(request, known)?;
                }
                Message::Notification(notification) => self.notified(&notification, &mut todo)?,
                Message::Response(_) => {}
            }
        }
    }

    fn answer(
        &self,
        request: lsp_server::Request,
        known: &Option<(&Report, &mut Session<'_>, &Path)>,
    ) -> Result<(), ServerError> {
        let response = match request.method.as_str() {
            CODE_ACTION => Response::new_ok(request.id, self.code_actions(&request.params, known)),
            HOVER => Response::new_ok(request.id, self.hover(&request.params, known)),
            other => {
                let message = format!("{other} is not served");
                Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message)
            }
        };
        self.send(Message::Response(response))
    }

    fn send(&self, message: Message) -> Result<(), ServerError> {
        self.connection.sender.send(message).map_err(|error| ServerError(error.to_string()))
    }

    fn notified(&mut self, notification: &Notification, todo: &mut Todo) -> Result<(), ServerError> {
        let params = &notification.params;
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default();
        let path = uri::to_path(uri);
        match (notification.method.as_str(), path) {
            ("textDocument/didOpen", Some(path)) => {
                let text = document["text"].as_str().unwrap_or_default().into();
                let version = document["version"].as_i64().unwrap_or_default();
                self.documents.open.insert(path.clone(), Document { uri: uri.to_owned(), version, text });
                todo.changed.insert(path);
            }
            ("textDocument/didChange", Some(path)) => {
                let changes = params["contentChanges"].as_array().map_or(&[][..], Vec::as_slice);
                let version = document["version"].as_i64().unwrap_or_default();
                self.documents.change(&path, version, changes, self.encoding);
                todo.changed.insert(path);
            }
            ("textDocument/didClose", Some(path)) => {
                let closed = self.documents.open.remove(&path);
                let is_pending = todo.changed.remove(&path);
                self.clear(uri)?;
                // Text that was not saved counts no more.
                let is_saved =
                    |document: Document| std::fs::read(&path).is_ok_and(|disk| disk == document.text.as_bytes());
                todo.again |= is_pending || !closed.is_some_and(is_saved);
            }
            ("textDocument/didSave", Some(path)) => todo.again |= decides(&path) || self.unknown.contains(&path),
            ("workspace/didChangeWatchedFiles", _) => {
                let changes = params["changes"].as_array().cloned().unwrap_or_default();
                // What is open is known better than from the disk.
                todo.again |= changes
                    .iter()
                    .filter_map(|change| uri::to_path(change["uri"].as_str()?))
                    .any(|path| self.documents.get(&path).is_none());
            }
            ("workspace/didChangeWorkspaceFolders", _) => {
                let folders = |key: &str| -> Vec<PathBuf> {
                    let list = params["event"][key].as_array().cloned().unwrap_or_default();
                    list.iter().filter_map(|folder| uri::to_path(folder["uri"].as_str()?)).collect()
                };
                let removed = folders("removed");
                self.roots.retain(|root| !removed.contains(root));
                self.roots.extend(folders("added"));
                todo.again = true;
            }
            ("workspace/didChangeConfiguration", _) => todo.again = true,
            _ => {}
        }
        Ok(())
    }

    /// Shows the findings of the open texts.
    fn publish(&mut self, session: &Session<'_>, report: &Report, cwd: &Path) -> Result<(), ServerError> {
        let mut now = BTreeSet::new();
        for (path, document) in &self.documents.open {
            let Some(file) = session.file_at(path) else { continue };
            let own = report.findings.iter().filter(|finding| finding.place.file == file);
            let diagnostics: Vec<Value> = own.map(|finding| diagnostic(report, finding, cwd, self.encoding)).collect();
            let params = json!({ "uri": document.uri, "version": document.version, "diagnostics": diagnostics });
            self.send(Message::Notification(Notification::new("textDocument/publishDiagnostics".to_owned(), params)))?;
            now.insert(document.uri.clone());
        }
        let gone: Vec<String> = self.shown.difference(&now).cloned().collect();
        for uri in gone {
            self.clear(&uri)?;
        }
        self.shown = now;
        Ok(())
    }

    fn clear(&mut self, uri: &str) -> Result<(), ServerError> {
        self.shown.remove(uri);
        let params = json!({ "uri": uri, "diagnostics": [] });
        self.send(Message::Notification(Notification::new("textDocument/publishDiagnostics".to_owned(), params)))
    }

    /// Tells why nothing can be looked at: a message, and a diagnostic on the file that is wrong.
    fn tell(&mut self, error: &RunError, cwd: &Path) -> Result<(), ServerError> {
        let mut lines = vec![format!("agentcheck: {error}")];
        if let RunError::Config(errors) = error {
            let mut by_file: BTreeMap<&Path, Vec<Value>> = BTreeMap::new();
            for ConfigError { path, text, span, message, help } in errors {
                let source = agentcheck_lint::SourceFile::new(String::new(), String::new(), Arc::clone(text));
                let range = crate::diagnostics::range(&source, *span, self.encoding);
                let message = help.as_ref().map_or_else(|| message.clone(), |help| format!("{message}\n{help}"));
                lines.push(format!("{}: {message}", agentcheck_project::shown(path, cwd)));
                let diagnostic = json!({ "range": range, "severity": 1, "source": "agentcheck", "message": message });
                by_file.entry(path).or_default().push(diagnostic);
            }
            for (path, diagnostics) in by_file {
                let uri = uri::of_path(path);
                self.shown.insert(uri.clone());
                let params = json!({ "uri": uri, "diagnostics": diagnostics });
                let notification = Notification::new("textDocument/publishDiagnostics".to_owned(), params);
                self.send(Message::Notification(notification))?;
            }
        }
        let params = json!({ "type": 1, "message": lines.join("\n") });
        self.send(Message::Notification(Notification::new("window/showMessage".to_owned(), params)))
    }

    fn code_actions(&self, params: &Value, known: &Option<(&Report, &mut Session<'_>, &Path)>) -> Value {
        let wanted = known.as_ref().and_then(|(report, session, root)| {
            let path = uri::to_path(params["textDocument"]["uri"].as_str()?)?;
            let only = params["context"]["only"].as_array().cloned().unwrap_or_default();
            Some(Wanted {
                report,
                root,
                file: session.file_at(&path)?,
                encoding: self.encoding,
                range: range(&params["range"])?,
                only: only.iter().filter_map(|kind| kind.as_str().map(str::to_owned)).collect(),
            })
        });
        json!(wanted.map(|wanted| wanted.actions()).unwrap_or_default())
    }

    fn hover(&self, params: &Value, known: &Option<(&Report, &mut Session<'_>, &Path)>) -> Value {
        let Some((report, session, _)) = known else { return Value::Null };
        let asked = || {
            let path = uri::to_path(params["textDocument"]["uri"].as_str()?)?;
            let at = json!({ "start": params["position"], "end": params["position"] });
            let (position, _) = range(&at)?;
            Some(hover(report, session.file_at(&path)?, position, self.encoding))
        };
        asked().unwrap_or(Value::Null)
    }
}

/// Whether saving a file may change what holds in others.
fn decides(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| DECIDING.contains(&name) || name.starts_with("tsconfig."))
}
