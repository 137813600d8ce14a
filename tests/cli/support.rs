//! A project in a temporary folder, and the binary run in it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A file with one error that has a safe fix, under `ai` 5 and later.
pub const CAPPED: &str = "import { generateText } from 'ai';\n\nexport const answer = (model, prompt) =>\n  \
                          generateText({ model, prompt, maxTokens: 100 });\n";

/// The same, fixed.
pub const CAPPED_FIXED: &str = "import { generateText } from 'ai';\n\nexport const answer = (model, prompt) =>\n  \
                                generateText({ model, prompt, maxOutputTokens: 100 });\n";

/// A file with one warning that has an unsafe fix.
pub const THROWING: &str = "import { tool } from 'ai';\nimport { db, schema } from './setup';\n\nexport const stock = tool({\n  \
                            inputSchema: schema,\n  execute: async () => {\n    try {\n      return await db.rows();\n    } \
                            catch (error) {\n      throw error;\n    }\n  },\n});\n";

/// A file with one info.
pub const DEAD_KEY: &str = "import { generateText } from 'ai';\n\nexport const answer = (model, prompt) =>\n  \
                            generateText({ model, prompt, maxTokens: 100, maxOutputTokens: 100 });\n";

/// A file without findings.
pub const CLEAN: &str = CAPPED_FIXED;

/// A folder to run in.
pub struct Project {
    folder: TempDir,
}

/// What a run came to.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Project {
    /// An empty folder. It has its own repository, so that nothing around it counts.
    pub fn empty() -> Self {
        let folder = tempfile::Builder::new().prefix("agentcheck-cli-").tempdir().expect("a temporary folder");
        let project = Self { folder };
        fs::create_dir(project.path(".git")).expect("a folder");
        project
    }

    /// A folder with a package.json that depends on this version of `ai`, and these files.
    pub fn new(ai: &str, files: &[(&str, &str)]) -> Self {
        let project = Self::empty();
        project.write("package.json", format!(r#"{{"name": "app", "dependencies": {{"ai": "{ai}"}}}}"#));
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A path in the folder.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("folders");
        fs::write(path, content).expect("a file");
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> String {
        String::from_utf8(fs::read(self.path(path)).expect("the file")).expect("UTF-8")
    }

    /// The command, to be run in the folder, with nothing of the environment that changes its output.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agentcheck"));
        command.current_dir(self.root()).args(args).stdin(Stdio::null());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS", "TERM", "CI", "COLORTERM"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs `agentcheck` with these arguments.
    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).output().expect("the binary runs"))
    }

    /// Runs `agentcheck` with these arguments and this standard input.
    pub fn run_with_stdin(&self, args: &[&str], input: impl AsRef<[u8]>) -> Run {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        // It may end without having read everything.
        let _ = child.stdin.take().expect("piped").write_all(input.as_ref());
        Run::of(child.wait_with_output().expect("it ends"))
    }

    /// The JSON of a run, whatever it found.
    pub fn json(&self, args: &[&str]) -> Value {
        let run = self.run(&[args, &["--format", "json"]].concat());
        assert!(matches!(run.code, 0 | 1), "{run:?}");
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
    }

    /// `path:line:column severity rule` of every finding.
    pub fn found(&self, args: &[&str]) -> Vec<String> {
        found_in(&self.json(args))
    }

    /// The notices of a run: kind, path, message.
    pub fn notices(&self, args: &[&str]) -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let json = self.json(args);
        let notices = json["notices"].as_array().expect("a list").iter();
        notices.map(|notice| (text(&notice["kind"]), text(&notice["path"]), text(&notice["message"]))).collect()
    }
}

/// `path:line:column severity rule` of every finding of a report in JSON.
pub fn found_in(json: &Value) -> Vec<String> {
    let findings = json["findings"].as_array().expect("a list").iter();
    let shown = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().expect("a text").to_owned();
        let start = &finding["start"];
        format!("{}:{}:{} {} {}", text("path"), start["line"], start["column"], text("severity"), text("rule"))
    };
    findings.map(shown).collect()
}

impl Run {
    /// The output of a process that ended by itself.
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Self { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// Asserts that standard error says these things.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "standard error lacks {part:?}: {self:?}");
        }
        self
    }

    /// Asserts that standard output holds these things.
    #[track_caller]
    pub fn prints(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stdout.contains(part), "standard output lacks {part:?}: {self:?}");
        }
        self
    }
}
