//! Files that are hard to read or to write.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::{CAPPED, CAPPED_FIXED, Project};

#[test]
fn an_empty_file_is_clean() {
    let project = Project::new("7.0.173", &[("a.ts", ""), ("b.ts", "\u{feff}"), ("c.ts", "\n")]);
    project.run(&["a.ts", "b.ts", "c.ts"]).expect(0);
    project.run(&["--fix"]).expect(0);
    assert_eq!(project.read("b.ts"), "\u{feff}");
}

#[test]
fn bytes_that_are_no_utf8_are_a_notice() {
    let project = Project::new("7.0.173", &[("good.ts", CAPPED)]);
    project.write("bad.ts", [CAPPED.as_bytes(), b"// caf\xe9\n"].concat());
    project.write("utf16.ts", CAPPED.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let run = project.run(&["--fix", "--format", "concise"]).expect(0).says(&["bad.ts", "UTF-8"]);
    assert_eq!(run.stdout, "");
    assert_eq!(project.read("good.ts"), CAPPED_FIXED);
    assert!(fs::read(project.path("bad.ts")).expect("read").ends_with(b"\xe9\n"));
    let json = project.json(&[]);
    assert_eq!(json["summary"]["skipped"], 1);
}

#[test]
fn line_endings_and_the_byte_order_mark_are_kept() {
    let crlf = format!("\u{feff}{}", CAPPED.replace('\n', "\r\n"));
    let mixed = CAPPED.replacen('\n', "\r\n", 1);
    let old = CAPPED.replace('\n', "\r");
    let bare = CAPPED.trim_end();
    let project = Project::new("7.0.173", &[("a.ts", &crlf), ("b.ts", &mixed), ("c.ts", bare), ("d.ts", &old)]);
    project.run(&["--fix"]).expect(0);
    let fixed = |text: &str| text.replace("maxTokens", "maxOutputTokens");
    assert_eq!(project.read("a.ts"), fixed(&crlf));
    assert_eq!(project.read("b.ts"), fixed(&mixed));
    assert_eq!(project.read("c.ts"), fixed(bare));
    assert_eq!(project.read("d.ts"), fixed(&old));
}

#[test]
fn a_bundle_is_a_notice_and_checked_when_named() {
    let long = format!("{}var a=\"{}\";\n", CAPPED.replace('\n', ""), "x".repeat(5 << 20));
    let project = Project::new("7.0.173", &[("dist.js", &long)]);
    let began = Instant::now();
    let run = project.run(&["--format", "concise"]).expect(0).says(&["dist.js", "name"]);
    assert_eq!(run.stdout, "");
    let run = project.run(&["dist.js", "--format", "concise"]).expect(1);
    assert!(run.stdout.starts_with("dist.js:1:"), "{}", &run.stdout[..200.min(run.stdout.len())]);
    // The excerpt is clipped.
    let run = project.run(&["dist.js"]).expect(1);
    assert!(run.stdout.len() < 10_000, "{} bytes", run.stdout.len());
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn deep_nesting_ends_and_the_rest_is_read() {
    for (open, close) in [("[", "]"), ("(", ")"), ("{ a: ", " }"), ("`${", "}`"), ("() => (", ")"), ("a ? ", " : 0")] {
        let nested = format!("const deep = {}0{};\n", open.repeat(5000), close.repeat(5000));
        let project = Project::new("7.0.173", &[("a.ts", &format!("{CAPPED}{nested}"))]);
        let run = project.run(&["--format", "concise"]).expect(1);
        assert!(run.stdout.contains("a.ts:4:33: error ai-sdk/max-tokens"), "{open}: {run:?}");
    }
}

#[test]
fn deep_statements_types_and_chains_end() {
    let blocks = format!("{}{}", "if (a) {".repeat(5000), "}".repeat(5000));
    let types = format!("type T = {}0{};\n", "Array<".repeat(3000), ">".repeat(3000));
    let chain = format!("const c = a{};\n", ".b()".repeat(20_000));
    let sum = format!("const s = 1{};\n", " + 1".repeat(20_000));
    let otherwise = format!("{}{{}}\n", "if (a) {} else ".repeat(5000));
    let functions = format!("{}{}", "function f() {".repeat(3000), "}".repeat(3000));
    for text in [blocks, types, chain, sum, otherwise, functions] {
        let project = Project::new("7.0.173", &[("a.ts", &format!("{CAPPED}{text}"))]);
        let run = project.run(&["a.ts", "--format", "concise"]).expect(1);
        assert!(run.stdout.contains("a.ts:4:33: error"), "{}: {run:?}", &text[..30]);
    }
}

#[test]
fn broken_objects_are_no_internal_error() {
    let text = "import { tool } from 'ai';\ntool({ ...(old ? { parameters: s : { inputSchema: s }) });\n";
    let run = Project::new("7.0.173", &[("a.ts", text)]).run(&[]);
    assert_ne!(run.code, 3, "{run:?}");
}

#[test]
fn code_cut_off_anywhere_is_no_internal_error() {
    let text = "import { generateText, tool } from 'ai';\nexport const a = tool({ parameters: s, inputSchema: s, execute: async ({ \
                b }) => { try { return await c(b); } catch (e) { throw new Error(`x ${e.message}`); } } });\nexport const d = \
                async () => { const { response } = await generateText({ model, tools: { a }, maxSteps: 1, maxTokens: 5, \
                messages: [{ role: 'system', content: 'x' }, ...f] }); return [...response.messages]; };\n";
    let project = Project::new("7.0.173", &[]);
    for end in (30..text.len()).step_by(3) {
        project.write(&format!("{end}.ts"), &text[..end]);
        project.write(&format!("{end}-tail.ts"), format!("{}{}", &text[..41], &text[end.max(41)..]));
    }
    let run = project.run(&["--unsafe-fixes", "--pedantic", "--format", "concise"]);
    assert!(matches!(run.code, 0 | 1), "{}", run.stderr);
}

#[test]
fn values_that_define_each_other_end() {
    let many: String = (0..500).map(|n| format!("const o{} = {{ ...o{n}, ...o{n} }};\n", n + 1)).collect();
    let text = format!(
        "import {{ generateText }} from 'ai';\nconst a = () => b(); const b = () => a();\nlet x = {{ ...y }}; let y = {{ ...x \
         }};\nconst o0 = {{ maxTokens: 1 }};\n{many}generateText(a()); generateText(x); generateText(o500);\nclass A extends \
         B {{}} class B extends A {{}}\n"
    );
    let project = Project::new("7.0.173", &[("a.ts", &text)]);
    let began = Instant::now();
    let found = project.found(&[]);
    assert!(found.len() <= 1, "{found:?}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn generated_files_are_a_notice_unless_named() {
    let project = Project::new("7.0.173", &[("a.ts", &format!("// @generated by x\n{CAPPED}"))]);
    project.run(&["--format", "concise"]).expect(0).says(&["a.ts", "generated"]);
    project.run(&["a.ts"]).expect(1);
}

#[test]
fn paths_that_overlap_count_once() {
    let project = Project::new("7.0.173", &[("src/a.ts", CAPPED)]);
    for args in
        [&["src", "src/a.ts"][..], &[".", "src", "./src/../src"], &["src/a.ts", "src/a.ts"], &["src//a.ts", "."]]
    {
        let json = project.json(args);
        assert_eq!(json["summary"]["files"], 1, "{args:?}");
        assert_eq!(crate::support::found_in(&json), ["src/a.ts:4:33 error ai-sdk/max-tokens"], "{args:?}");
    }
    let absolute = project.path("src/a.ts");
    let found = project.found(&[absolute.to_str().expect("a text")]);
    assert_eq!(found, ["src/a.ts:4:33 error ai-sdk/max-tokens"]);
}

#[test]
fn ignored_files_are_left_out_unless_named() {
    let project =
        Project::new("7.0.173", &[("dist/a.ts", CAPPED), ("node_modules/x/a.ts", CAPPED), ("a.d.ts", CAPPED)]);
    project.write(".gitignore", "dist/\n");
    assert_eq!(project.json(&[])["summary"]["files"], 0);
    assert_eq!(project.found(&["dist"]).len(), 1);
    assert_eq!(project.found(&["dist/a.ts"]).len(), 1);
    assert_eq!(project.found(&["node_modules/x"]).len(), 1);
}

#[test]
fn a_file_of_another_kind_that_is_named_is_a_notice() {
    let project = Project::new("7.0.173", &[("a.md", "maxTokens"), ("b.ts", CAPPED)]);
    project.run(&["a.md"]).expect(0).says(&["a.md"]);
    project.run(&["a.md", "b.ts"]).expect(1).says(&["a.md"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    use std::process::Command;

    use super::*;

    /// Whether permissions mean nothing here. Root reads and writes everything.
    fn is_root(project: &Project) -> bool {
        fs::metadata(project.root()).expect("the folder").uid() == 0
    }

    #[test]
    fn a_read_only_file_is_not_overwritten() {
        let project = Project::new("7.0.173", &[("a.ts", CAPPED), ("b.ts", CAPPED)]);
        fs::set_permissions(project.path("a.ts"), fs::Permissions::from_mode(0o444)).expect("set");
        project.run(&["--fix"]).expect(3).says(&["a.ts", "read-only"]);
        assert_eq!(project.read("a.ts"), CAPPED);
        assert_eq!(project.read("b.ts"), CAPPED_FIXED, "the other file is fixed all the same");
    }

    #[test]
    fn the_mode_of_a_file_is_kept() {
        let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
        fs::set_permissions(project.path("a.ts"), fs::Permissions::from_mode(0o751)).expect("set");
        project.run(&["--fix"]).expect(0);
        assert_eq!(fs::metadata(project.path("a.ts")).expect("there").permissions().mode() & 0o777, 0o751);
        let names: Vec<_> = fs::read_dir(project.root()).expect("listed").flatten().map(|e| e.file_name()).collect();
        assert_eq!(names.len(), 3, "no temporary file stays: {names:?}");
    }

    #[test]
    fn a_link_stays_a_link_and_its_target_is_fixed() {
        let project = Project::new("7.0.173", &[("real/a.ts", CAPPED)]);
        fs::create_dir(project.path("src")).expect("made");
        symlink("../real/a.ts", project.path("src/link.ts")).expect("linked");
        project.run(&["src/link.ts", "--fix"]).expect(0);
        assert!(fs::symlink_metadata(project.path("src/link.ts")).expect("there").is_symlink());
        assert_eq!(project.read("real/a.ts"), CAPPED_FIXED);
    }

    #[test]
    fn a_file_and_a_link_to_it_are_one() {
        let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
        symlink("a.ts", project.path("b.ts")).expect("linked");
        assert_eq!(project.found(&[]), ["a.ts:4:33 error ai-sdk/max-tokens"]);
        project.run(&["--fix"]).expect(0);
        assert_eq!(project.read("a.ts"), CAPPED_FIXED);
    }

    #[test]
    fn a_full_disk_is_not_a_clean_run() {
        let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
        let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
        let output = project.command(&[]).stdout(full).output().expect("it runs");
        assert_eq!(output.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"), "{output:?}");
    }

    #[test]
    fn links_in_a_circle_end() {
        let project = Project::new("7.0.173", &[("src/a.ts", CAPPED)]);
        symlink("..", project.path("src/up")).expect("linked");
        symlink("self", project.path("src/self")).expect("linked");
        symlink("nowhere.ts", project.path("src/broken.ts")).expect("linked");
        symlink("loop.ts", project.path("src/loop.ts")).expect("linked");
        assert_eq!(project.found(&[]), ["src/a.ts:4:33 error ai-sdk/max-tokens"]);
        project.run(&["src/loop.ts"]).expect(2);
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
        let made = Command::new("mkfifo").arg(project.path("pipe.ts")).status();
        if !made.is_ok_and(|status| status.success()) {
            eprintln!("skipped: pipes cannot be made here");
            return;
        }
        let began = Instant::now();
        project.run(&[]).expect(1);
        project.run(&["pipe.ts", "a.ts"]).expect(1).says(&["pipe.ts", "not a regular file"]);
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_file_without_permission_is_a_notice() {
        let project = Project::new("7.0.173", &[("a.ts", CAPPED), ("locked.ts", CAPPED), ("closed/b.ts", CAPPED)]);
        if is_root(&project) {
            eprintln!("skipped: root reads every file");
            return;
        }
        fs::set_permissions(project.path("locked.ts"), fs::Permissions::from_mode(0o000)).expect("set");
        fs::set_permissions(project.path("closed"), fs::Permissions::from_mode(0o000)).expect("set");
        let run = project.run(&["--format", "concise"]);
        fs::set_permissions(project.path("closed"), fs::Permissions::from_mode(0o755)).expect("set");
        let run = run.expect(1).says(&["locked.ts: no permission", "closed"]);
        assert!(run.stdout.starts_with("a.ts:4:33"), "{run:?}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told() {
        let project = Project::new("7.0.173", &[("locked/a.ts", CAPPED), ("b.ts", CAPPED)]);
        if is_root(&project) {
            eprintln!("skipped: root writes everywhere");
            return;
        }
        fs::set_permissions(project.path("locked"), fs::Permissions::from_mode(0o555)).expect("set");
        let run = project.run(&["--fix"]);
        fs::set_permissions(project.path("locked"), fs::Permissions::from_mode(0o755)).expect("set");
        run.expect(3).says(&["locked/a.ts"]);
        assert_eq!(project.read("b.ts"), CAPPED_FIXED);
    }

    #[test]
    fn a_hard_link_is_seen_by_both_names() {
        let project = Project::new("7.0.173", &[("a.ts", CAPPED)]);
        fs::hard_link(project.path("a.ts"), project.path("b.ts")).expect("linked");
        project.run(&["--fix"]).expect(0);
        assert_eq!(project.read("a.ts"), CAPPED_FIXED);
        assert_eq!(project.read("b.ts"), CAPPED_FIXED);
    }

    #[test]
    fn a_name_that_is_no_text_is_read() {
        use std::os::unix::ffi::OsStrExt as _;
        let project = Project::new("7.0.173", &[]);
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9.ts");
        if fs::write(project.root().join(name), CAPPED).is_err() {
            eprintln!("skipped: the file system takes only text for names");
            return;
        }
        let found = project.found(&[]);
        assert_eq!(found.len(), 1, "{found:?}");
        project.run(&["--fix"]).expect(0);
        assert_eq!(fs::read_to_string(project.root().join(name)).expect("read"), CAPPED_FIXED);
    }
}
