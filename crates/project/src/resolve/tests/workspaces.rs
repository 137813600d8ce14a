//! Packages of the project, by their names.

use super::{check, repo};

/// `/repo` with a package `app`, and a package `lib` with this package.json.
fn with_lib(code: &[&str], manifest: &str) -> crate::files::MemoryFiles {
    let code: Vec<String> = code.iter().map(|path| format!("packages/lib/{path}")).collect();
    let code: Vec<&str> = code.iter().map(String::as_str).collect();
    let files = [
        ("package.json", r#"{"name": "root"}"#),
        ("pnpm-workspace.yaml", "packages:\n  - packages/*\n"),
        ("packages/app/package.json", r#"{"name": "app", "dependencies": {"@acme/lib": "workspace:*"}}"#),
        ("packages/lib/package.json", manifest),
    ];
    repo(&code, &files)
}

/// Asserts what each import of `@acme/lib` in `app` means, without `packages/lib/`.
#[track_caller]
fn check_lib(code: &[&str], manifest: &str, expected: &[(&str, &str)]) {
    let expected = expected.iter().map(|(specifier, path)| match *path {
        "-" => (*specifier, "-".to_owned()),
        path => (*specifier, format!("packages/lib/{path}")),
    });
    let expected: Vec<(&str, String)> = expected.collect();
    let expected: Vec<(&str, &str)> = expected.iter().map(|(specifier, path)| (*specifier, path.as_str())).collect();
    check(&with_lib(code, manifest), "packages/app/src/x.ts", &expected);
}

#[test]
fn members_are_found_in_every_kind_of_workspace() {
    let members = [
        ("packages/app/package.json", r#"{"name": "app"}"#),
        ("packages/lib/package.json", r#"{"name": "@acme/lib"}"#),
    ];
    for root in [
        ("pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n"),
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        ("package.json", r#"{"workspaces": {"packages": ["packages/**"]}}"#),
    ] {
        let files = repo(&["packages/lib/index.ts"], &[root, members[0], members[1]]);
        check(&files, "packages/app/x.ts", &[("@acme/lib", "packages/lib/index.ts"), ("@acme/other", "-")]);
        check(&files, "packages/app/deep/x.ts", &[("@acme/lib", "packages/lib/index.ts")]);
    }
    check(&repo(&["packages/lib/index.ts"], &members), "packages/app/x.ts", &[("@acme/lib", "-")]);
}

#[test]
fn the_package_itself_by_its_fields() {
    let code = ["src/index.ts", "code/x.ts", "m.js", "index.js"];
    for (fields, expected) in [
        (r#""exports": "./m.js""#, "m.js"),
        (r#""exports": {".": {"types": "./x.d.ts", "import": "./code/x.ts"}}, "main": "m.js""#, "code/x.ts"),
        (r#""exports": {".": {"import": "./none.mjs"}}, "main": "m.js""#, "m.js"),
        (r#""exports": {".": null}, "main": "m.js""#, "-"),
        (r#""source": "code/x.ts", "exports": "./dist/index.js""#, "code/x.ts"),
        (r#""module": "./m.js", "main": "code/x""#, "m.js"),
        (r#""main": "./code/x""#, "code/x.ts"),
        (r#""types": "./dist/index.d.ts""#, "src/index.ts"),
        (r#""main": "../app/secret.js""#, "src/index.ts"),
        (r#""version": "1.0.0""#, "src/index.ts"),
    ] {
        check_lib(&code, &format!(r#"{{"name": "@acme/lib", {fields}}}"#), &[("@acme/lib", expected)]);
    }
    check_lib(&["index.js"], r#"{"name": "@acme/lib"}"#, &[("@acme/lib", "index.js")]);
    check_lib(&["readme.md"], r#"{"name": "@acme/lib", "main": "dist/index.js"}"#, &[("@acme/lib", "-")]);
}

#[test]
fn subpaths_by_exports_patterns_or_the_path_itself() {
    let manifest = r#"{"name": "@acme/lib", "exports": {
        ".": "./dist/index.js", "./react": {"types": "./dist/react/index.d.ts", "default": "./dist/react/index.mjs"},
        "./features/*": "./dist/features/*.js", "./features/private/*": null, "./ui/*.js": "./src/ui/*.tsx",
        "./internal": "./dist/internal/index.js", "./package.json": "./package.json", "./css": "./dist/a.css"}}"#;
    let code = [
        "src/index.ts",
        "src/react/index.tsx",
        "src/features/a/b.ts",
        "src/features/private/c.ts",
        "src/ui/button.tsx",
        "internal/index.ts",
        "src/other.ts",
        "tools/d.js",
    ];
    check_lib(
        &code,
        manifest,
        &[
            ("@acme/lib", "src/index.ts"),
            ("@acme/lib/", "src/index.ts"),
            ("@acme/lib/react", "src/react/index.tsx"),
            ("@acme/lib/features/a/b", "src/features/a/b.ts"),
            ("@acme/lib/features/none", "-"),
            ("@acme/lib/features/private/c", "-"),
            ("@acme/lib/ui/button.js", "src/ui/button.tsx"),
            ("@acme/lib/internal", "internal/index.ts"),
            ("@acme/lib/package.json", "-"),
            ("@acme/lib/css", "-"),
            ("@acme/lib/tools/d.js", "tools/d.js"),
            ("@acme/lib/dist/other", "src/other.ts"),
            ("@acme/lib/other", "src/other.ts"),
            ("@acme/lib/../app/x", "-"),
            ("@acme", "-"),
        ],
    );
}

#[test]
fn build_output_gives_way_to_its_source_also_when_it_exists() {
    let manifest = r#"{"name": "@acme/lib", "main": "./lib/index.js", "exports": {
        ".": "./lib/index.js", "./ts": "./lib/ts.js", "./js": "./lib/js.js", "./own": "./lib/own.js",
        "./esm": "./build/esm/a.js", "./none": "./out/none.js"}}"#;
    let code = [
        "lib/index.js",
        "index.js",
        "lib/ts.js",
        "ts.ts",
        "lib/js.js",
        "src/js.js",
        "lib/own.js",
        "own.js",
        "build/esm/a.js",
        "src/a.ts",
    ];
    check_lib(
        &code,
        manifest,
        &[
            // Next to `lib/index.js` an `index.js` may be anything; TypeScript, or what lies in `src`, is its source.
            ("@acme/lib", "lib/index.js"),
            ("@acme/lib/ts", "ts.ts"),
            ("@acme/lib/js", "src/js.js"),
            ("@acme/lib/own", "lib/own.js"),
            ("@acme/lib/esm", "src/a.ts"),
            ("@acme/lib/none", "-"),
        ],
    );
}

#[test]
fn a_package_may_name_itself() {
    let manifest = r#"{"name": "@acme/lib", "exports": {"./a": "./dist/a.js"}}"#;
    let mut files = with_lib(&["src/a.ts", "src/esm/x.ts"], manifest);
    files.insert("/repo/packages/lib/src/esm/package.json", r#"{"type": "module"}"#);
    check(&files, "packages/lib/src/esm/x.ts", &[("@acme/lib/a", "packages/lib/src/a.ts"), ("@acme/lib/b", "-")]);
    // Without a workspace too, but not when it depends on the package of its name.
    let own = ("package.json", r#"{"name": "ai", "main": "./dist/index.js"}"#);
    check(&repo(&["src/index.ts"], &[own]), "x.ts", &[("ai", "src/index.ts")]);
    let app = ("package.json", r#"{"name": "ai", "main": "./dist/index.js", "dependencies": {"ai": "^5"}}"#);
    check(&repo(&["src/index.ts"], &[app]), "x.ts", &[("ai", "-")]);
}

#[test]
fn the_declared_text_decides_what_would_be_linked() {
    let root = r#"{"workspaces": {"packages": ["packages/*"], "catalog": {"e": "^1.0.0", "f": "^2.0.0"}}}"#;
    let app = r#"{"name": "app", "dependencies": {
        "a": "^1.0.0", "b": "^2.0.0", "c": "npm:c@1", "d": "latest", "e": "catalog:", "f": "catalog:",
        "g": "file:../../vendor/g", "h": "workspace:../h", "alias": "workspace:a@*",
        "out": "link:../../../elsewhere"}}"#;
    let names = ["a", "b", "c", "d", "e", "f", "h", "undeclared"];
    let manifests: Vec<(String, String)> = names
        .iter()
        .map(|name| (format!("packages/{name}/package.json"), format!(r#"{{"name": "{name}", "version": "1.2.0"}}"#)))
        .collect();
    let code: Vec<String> = names.iter().map(|name| format!("packages/{name}/index.ts")).collect();
    let mut entries = vec![
        ("package.json", root),
        ("packages/app/package.json", app),
        ("vendor/g/package.json", r#"{"name": "g"}"#),
        ("vendor/g/index.js", ""),
        ("/elsewhere/package.json", r#"{"name": "out"}"#),
        ("/elsewhere/index.js", ""),
    ];
    entries.extend(manifests.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let code: Vec<&str> = code.iter().map(String::as_str).collect();
    check(
        &repo(&code, &entries),
        "packages/app/x.ts",
        &[
            ("a", "packages/a/index.ts"),
            ("b", "-"),
            ("c", "-"),
            ("d", "-"),
            ("e", "packages/e/index.ts"),
            ("f", "-"),
            ("g", "vendor/g/index.js"),
            ("h", "packages/h/index.ts"),
            ("alias", "packages/a/index.ts"),
            ("undeclared", "packages/undeclared/index.ts"),
            ("out", "-"),
        ],
    );
}

#[test]
fn an_installed_package_is_not_the_one_of_the_workspace() {
    let mut files = with_lib(&["src/index.ts"], r#"{"name": "@acme/lib"}"#);
    files.insert("/repo/packages/app/node_modules/@acme/lib/package.json", r#"{"name": "@acme/lib"}"#);
    files.insert("/repo/packages/app/node_modules/@acme/lib/index.js", "");
    check(&files, "packages/app/x.ts", &[("@acme/lib", "-")]);
    check(&files, "x.ts", &[("@acme/lib", "packages/lib/src/index.ts")]);
}

#[test]
fn builtins_are_nobodys() {
    let root = ("package.json", r#"{"workspaces": ["packages/*"]}"#);
    let events = ("packages/events/package.json", r#"{"name": "events"}"#);
    let files = repo(&["packages/events/index.ts", "packages/events/a.ts"], &[root, events]);
    let own = ("events/", "packages/events/index.ts");
    check(&files, "x.ts", &[("events", "-"), ("node:events", "-"), ("node:fs", "-"), ("fs", "-"), own]);
    check(&files, "x.ts", &[("bun:test", "-"), ("events/a", "packages/events/a.ts")]);
}

#[test]
fn aliases_may_lead_to_packages_and_their_output() {
    let mut files = with_lib(&["src/index.ts", "src/a.ts"], r#"{"name": "@acme/lib", "main": "dist/index.js"}"#);
    let paths = r#"{"compilerOptions": {"paths": {
        "lib": ["../lib"], "out": ["../lib/dist"], "out/*": ["../lib/dist/*"], "@acme/lib": ["./none"]}}}"#;
    files.insert("/repo/packages/app/tsconfig.json", paths);
    check(
        &files,
        "packages/app/x.ts",
        &[
            ("lib", "packages/lib/src/index.ts"),
            ("out", "packages/lib/src/index.ts"),
            ("out/a", "packages/lib/src/a.ts"),
            ("out/none", "-"),
            ("@acme/lib", "packages/lib/src/index.ts"),
        ],
    );
}
