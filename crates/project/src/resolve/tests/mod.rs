//! Imports in small projects, each with the file that they mean.

mod aliases;
#[cfg(unix)]
mod links;
mod paths;
mod workspaces;

use std::path::Path;

use super::ModuleResolver;
use crate::files::MemoryFiles;
use crate::paths::relative;

/// The files of `/repo`; those whose content does not matter come first.
fn repo(empty: &[&str], others: &[(&str, &str)]) -> MemoryFiles {
    let empty = empty.iter().map(|path| (*path, ""));
    empty.chain(others.iter().copied()).map(|(path, content)| (Path::new("/repo").join(path), content)).collect()
}

/// Asserts what each specifier means in the file `from`; `-` for nothing.
#[track_caller]
fn check(files: &MemoryFiles, from: &str, expected: &[(&str, &str)]) {
    let resolver = ModuleResolver::new(files, Path::new("/repo"));
    for (specifier, expected) in expected {
        let found = resolver.resolve(Path::new(from), specifier);
        let found = found.map(|path| relative(&path, Path::new("/repo")).unwrap_or(path.display().to_string()));
        assert_eq!(found.as_deref().unwrap_or("-"), *expected, "{specifier} in {from}");
    }
}

#[test]
fn hostile_input_leads_nowhere() {
    let deep = format!("{}\"./x\"{}", "{\"default\":".repeat(120), "}".repeat(120));
    let files = repo(
        &["a.ts", "pkg/index.ts"],
        &[
            (
                "tsconfig.json",
                r#"{"extends": ["./tsconfig.json", "./b.json"], "compilerOptions": {"paths": {"@/*": ["./*"]}}}"#,
            ),
            ("b.json", r#"{"extends": "./tsconfig.json", "references": [{"path": "."}]}"#),
            (
                "package.json",
                r##"{"name": "root", "workspaces": ["*", "../**"], "main": ".",
                    "imports": {"#a": "#a", "#b": "root/b"}}"##,
            ),
            (
                "pkg/package.json",
                &format!("{{\"name\": \"pkg\", \"main\": \"../../..\", \"exports\": {{\".\": {deep}}}}}"),
            ),
            ("loop/package.json", r#"{"main": "./"}"#),
        ],
    );
    check(
        &files,
        "a.ts",
        &[
            ("", "-"),
            ("#a", "-"),
            ("#b", "-"),
            ("#", "-"),
            ("@/a", "a.ts"),
            ("@/../../../../repo/a", "a.ts"),
            ("@", "-"),
            ("@/", "-"),
            ("./loop", "-"),
            ("pkg", "-"),
            ("pkg/../a", "-"),
            ("./a\0", "-"),
            ("..\\a", "-"),
            ("./\u{fffd}", "-"),
            (&"../".repeat(300), "-"),
            (&format!("./{}", "a".repeat(5000)), "-"),
        ],
    );
}

#[test]
fn nothing_around_and_nothing_there() {
    let files = repo(&["a.ts", "b.ts"], &[]);
    check(
        &files,
        "a.ts",
        &[("./b", "b.ts"), ("b", "-"), ("ai", "-"), ("/repo/b", "b.ts"), ("#b", "-"), ("$lib/b", "-")],
    );
    check(&MemoryFiles::default(), "a.ts", &[("./b", "-"), ("b", "-")]);
    check(&files, "none/a.ts", &[("../b", "b.ts"), ("./b", "-")]);
}

#[test]
fn threads_get_the_same_answers() {
    let files = repo(
        &["src/a.ts", "src/b.ts", "packages/x/src/index.ts"],
        &[
            ("package.json", r#"{"name": "root", "workspaces": ["packages/*"]}"#),
            ("packages/x/package.json", r#"{"name": "x", "main": "dist/index.js"}"#),
            ("tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#),
        ],
    );
    let resolver = ModuleResolver::new(&files, Path::new("/repo"));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let found = |specifier| resolver.resolve(Path::new("src/a.ts"), specifier);
                assert_eq!(found("@/b").as_deref(), Some(Path::new("/repo/src/b.ts")));
                assert_eq!(found("x").as_deref(), Some(Path::new("/repo/packages/x/src/index.ts")));
            });
        }
    });
}
