//! Standard input as a file: `-` with `--stdin-filename`.

use crate::support::{CAPPED, CAPPED_FIXED, CLEAN, Project, THROWING, found_in};

#[test]
fn the_text_is_checked_under_its_name() {
    let project = Project::new("7.0.173", &[("packages/old/package.json", r#"{"dependencies": {"ai": "4.3.19"}}"#)]);
    let check = |name: &str, text: &str| {
        let run = project.run_with_stdin(&["-", "--stdin-filename", name, "--format", "json"], text);
        let json = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
        (run.code, found_in(&json))
    };
    let found = vec!["src/new.ts:4:33 error ai-sdk/max-tokens".to_owned()];
    assert_eq!(check("src/new.ts", CAPPED), (1, found.clone()));
    assert_eq!(check("src/new.ts", CLEAN), (0, vec![]));
    // The name decides the version, the language and whether it is read at all.
    assert_eq!(check("packages/old/a.ts", CAPPED), (0, vec![]));
    assert_eq!(check("a.tsx", &CAPPED.replace("100 });", "100 }) as <T>(x: T) => T;")).0, 1);
    assert_eq!(check("a.txt", CAPPED), (0, vec![]));
    // What the disk holds under that name does not count.
    project.write("src/new.ts", CLEAN);
    assert_eq!(check("src/new.ts", CAPPED), (1, found.clone()));
    let absolute = project.path("src/new.ts");
    assert_eq!(check(absolute.to_str().expect("a text"), CAPPED), (1, found));
    assert_eq!(project.read("src/new.ts"), CLEAN);
}

#[test]
fn the_configuration_of_its_folder_holds() {
    let project = Project::new("7.0.173", &[("src/agentcheck.toml", "[rules]\n\"ai-sdk/*\" = \"off\"\n")]);
    project.run_with_stdin(&["-", "--stdin-filename", "src/a.ts"], CAPPED).expect(0);
    project.run_with_stdin(&["check", "-", "--stdin-filename", "a.ts"], CAPPED).expect(1);
}

#[test]
fn fixed_text_goes_to_standard_output_and_findings_to_standard_error() {
    let project = Project::new("7.0.173", &[("a.ts", "on the disk")]);
    let both = format!("{CAPPED}{THROWING}");
    let run =
        project.run_with_stdin(&["-", "--stdin-filename", "a.ts", "--fix", "--format", "concise"], &both).expect(1);
    assert_eq!(run.stdout, both.replace("maxTokens", "maxOutputTokens"));
    let run = run.says(&["a.ts:14:7: warning ai-sdk/throw-in-execute"]);
    assert!(!run.stderr.contains("max-tokens"), "{run:?}");
    assert_eq!(project.read("a.ts"), "on the disk");
    // Nothing to fix: the text as it came.
    let run = project.run_with_stdin(&["-", "--stdin-filename", "a.ts", "--fix"], CLEAN).expect(0);
    assert_eq!(run.stdout, CLEAN);
    let odd = "\u{feff}// é\r\nimport 'ai';\r\nmaxTokens";
    assert_eq!(project.run_with_stdin(&["-", "--stdin-filename", "a.ts", "--fix"], odd).expect(0).stdout, odd);
    let run = project.run_with_stdin(&["-", "--stdin-filename", "a.ts", "--fix-only"], CAPPED).expect(0);
    assert_eq!(run.stdout, CAPPED_FIXED);
}

#[test]
fn a_file_that_is_not_read_is_passed_through_when_fixing() {
    let project = Project::new("7.0.173", &[]);
    let run = project.run_with_stdin(&["-", "--stdin-filename", "a.txt", "--fix"], "some text\n").expect(0);
    assert_eq!(run.stdout, "some text\n");
}

#[test]
fn diff_is_that_of_the_text() {
    let project = Project::new("7.0.173", &[("src/a.ts", CLEAN)]);
    let run = project.run_with_stdin(&["-", "--stdin-filename", "src/a.ts", "--diff"], CAPPED).expect(1);
    assert!(run.stdout.starts_with("--- a/src/a.ts\n+++ b/src/a.ts\n"), "{run:?}");
    let run = project.run_with_stdin(&["-", "--stdin-filename", "src/a.ts", "--diff"], CLEAN).expect(0);
    assert_eq!(run.stdout, "");
}

#[test]
fn a_wrong_call_is_2() {
    let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
    project.run(&["-"]).expect(2).says(&["--stdin-filename"]);
    project.run(&["--stdin-filename", "a.ts"]).expect(2).says(&["-"]);
    project.run(&["-", "a.ts", "--stdin-filename", "a.ts"]).expect(2);
}

#[test]
fn bytes_that_are_no_text_are_2_and_say_where() {
    let project = Project::new("7.0.173", &[]);
    let run = project.run_with_stdin(&["-", "--stdin-filename", "a.ts"], b"import 'ai'; \xff\xfe").expect(2);
    assert!(run.stderr.contains("UTF-8") && run.stdout.is_empty(), "{run:?}");
}

#[test]
fn an_empty_text_is_clean() {
    let project = Project::new("7.0.173", &[]);
    assert_eq!(project.run_with_stdin(&["-", "--stdin-filename", "a.ts", "--fix"], "").expect(0).stdout, "");
}
