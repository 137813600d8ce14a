//! `upgrade`: what is written, what is left, what is refused.

use std::process::Command;

use crate::support::Project;

const OLD: &str = "import { convertToCoreMessages, streamText, type CoreMessage } from 'ai';
import { model } from './setup';

export async function run(history: any[], own: CoreMessage[]) {
  const result = streamText({ model, maxTokens: 10, messages: convertToCoreMessages(history) });
  return result.toDataStreamResponse({ getErrorMessage: () => 'sorry' });
}
";

const NEW: &str = "import { convertToModelMessages, streamText, type ModelMessage } from 'ai';
import { model } from './setup';

export async function run(history: any[], own: ModelMessage[]) {
  const result = streamText({ model, maxOutputTokens: 10, messages: await convertToModelMessages(history) });
  return result.toUIMessageStreamResponse({ onError: () => 'sorry' });
}
";

#[test]
fn goes_through_the_majors_between() {
    let project = Project::new("^4.3.19", &[("turn.ts", OLD)]);
    let run = project.run(&["upgrade", "--to", "ai@7", "--allow-dirty"]).expect(0);
    assert_eq!(project.read("turn.ts"), NEW);
    assert!(project.read("package.json").contains("\"ai\": \"^7.0."), "{}", project.read("package.json"));
    assert!(run.stderr.contains("npm install ai@^7.0."), "{}", run.stderr);
    // Nothing is left to do.
    project.run(&["upgrade", "--to", "ai@7", "--allow-dirty"]).expect(0);
    assert_eq!(project.read("turn.ts"), NEW);
}

#[test]
fn a_diff_writes_nothing() {
    let project = Project::new("^4.3.19", &[("turn.ts", OLD)]);
    let run = project.run(&["upgrade", "--to", "ai@7", "--diff"]).expect(1);
    assert!(run.stdout.contains("+  const result = streamText({ model, maxOutputTokens: 10"), "{}", run.stdout);
    assert_eq!(project.read("turn.ts"), OLD);
}

#[test]
fn what_is_left_by_hand_fails_the_run() {
    let text = "import { useChat } from '@ai-sdk/react';\n\nexport const useIt = () => useChat({ api: '/x' });\n";
    let project = Project::empty();
    project.write("package.json", r#"{ "dependencies": { "ai": "^4.3.19", "@ai-sdk/react": "^1.2.12" } }"#);
    project.write("hook.ts", text);
    let run = project.run(&["upgrade", "--to", "ai@5", "--allow-dirty", "--format", "concise"]).expect(1);
    assert!(run.stdout.contains("hook.ts:3:38: error ai-sdk/use-chat-api"), "{}", run.stdout);
    assert_eq!(project.read("hook.ts"), text);
}

#[test]
fn uncommitted_changes_are_not_written_over() {
    let project = Project::new("^4.3.19", &[("turn.ts", OLD)]);
    std::fs::remove_dir_all(project.path(".git")).expect("the folder");
    let git = Command::new("git").arg("init").arg("-q").current_dir(project.root()).status().expect("git runs");
    assert!(git.success());
    let run = project.run(&["upgrade", "--to", "ai@7"]).expect(2);
    assert!(run.stderr.contains("--allow-dirty"), "{}", run.stderr);
    assert_eq!(project.read("turn.ts"), OLD);
}
