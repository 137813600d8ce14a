//! tsconfig.json, jsconfig.json, `imports` and what frameworks bring along.

use std::path::Path;

use super::{check, repo};
use crate::resolve::ModuleResolver;

const ALIAS: &str = r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#;

#[test]
fn the_nearest_configuration_decides() {
    let files = repo(
        &["src/a.ts", "web/src/a.ts", "web/js/src/a.js", "web/plain/b.ts"],
        &[
            ("tsconfig.json", ALIAS),
            (
                "web/tsconfig.json",
                "{\n  // here\n  \"compilerOptions\": {\"paths\": {\"@/*\": [\"./none/*\", \"./src/*\",],},},\n}",
            ),
            ("web/jsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./wrong/*"]}}}"#),
            ("web/js/jsconfig.json", r#"{"compilerOptions": {"baseUrl": "src"}}"#),
            ("web/plain/tsconfig.json", "{}"),
        ],
    );
    check(&files, "x.ts", &[("@/a", "src/a.ts"), ("@/a.js", "src/a.ts"), ("@/b", "-"), ("@/a?raw", "-")]);
    check(&files, "lib/deep/x.ts", &[("@/a", "src/a.ts")]);
    check(&files, "web/x.ts", &[("@/a", "web/src/a.ts")]);
    check(&files, "web/js/x.js", &[("a", "web/js/src/a.js"), ("a.js", "web/js/src/a.js"), ("@/a", "-"), ("b", "-")]);
    check(&files, "web/plain/b.ts", &[("@/a", "-")]);
}

#[test]
fn extends_through_files_packages_and_cycles() {
    let files = repo(
        &[
            "src/a.ts",
            "packages/web/src/b.ts",
            "packages/app/src/c.ts",
            "packages/old/src/d.ts",
            "packages/dir/src/e.ts",
        ],
        &[
            ("package.json", r#"{"name": "root", "workspaces": ["packages/*", "config"]}"#),
            (
                "tsconfig.base.json",
                r#"{"extends": "./tsconfig.cycle", "compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#,
            ),
            ("tsconfig.cycle.json", r#"{"extends": "./tsconfig.base.json", "compilerOptions": {"paths": {}}}"#),
            ("tsconfig.json", r#"{"extends": "./tsconfig.base"}"#),
            (
                "config/package.json",
                r#"{"name": "@acme/config", "tsconfig": "main.json", "exports": {"./web": "./w.json"}}"#,
            ),
            ("config/main.json", r#"{"compilerOptions": {"paths": {"~/*": ["${configDir}/src/*"]}}}"#),
            ("config/w.json", r#"{"compilerOptions": {"baseUrl": "${configDir}/src"}}"#),
            ("packages/web/package.json", r#"{"name": "web"}"#),
            ("packages/web/tsconfig.json", r#"{"extends": ["../../tsconfig.base.json", "@acme/config"]}"#),
            ("packages/app/tsconfig.json", r#"{"extends": "@acme/config/web"}"#),
            ("packages/old/tsconfig.json", r#"{"extends": "./node_modules/@acme/config/main.json"}"#),
            ("packages/dir/tsconfig.json", r#"{"extends": "installed/base"}"#),
            ("node_modules/installed/base.json", r#"{"compilerOptions": {"baseUrl": "${configDir}/src"}}"#),
        ],
    );
    check(&files, "x.ts", &[("@/a", "src/a.ts")]);
    check(&files, "packages/web/x.ts", &[("~/b", "packages/web/src/b.ts"), ("@/a", "-")]);
    check(&files, "packages/app/x.ts", &[("c", "packages/app/src/c.ts")]);
    check(&files, "packages/old/x.ts", &[("~/d", "packages/old/src/d.ts"), ("~/c", "-")]);
    check(&files, "packages/dir/x.ts", &[("e", "packages/dir/src/e.ts")]);
}

#[test]
fn references_hold_for_the_folders_that_they_include() {
    let solution = r#"{"files": [], "references": [
        {"path": "./tsconfig.app.json"}, {"path": "./tsconfig.node.json"}, {"path": "./lib"}, {"path": "./none.json"}]}"#;
    let files = repo(
        &["src/a.ts", "lib/a.ts", "lib/code/b.ts"],
        &[
            ("tsconfig.json", solution),
            ("tsconfig.app.json", r#"{"include": ["src"], "compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#),
            (
                "tsconfig.node.json",
                r#"{"include": ["vite.config.ts"], "compilerOptions": {"paths": {"lib": ["./lib/a"]}}}"#,
            ),
            ("lib/tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./code/*"]}}}"#),
        ],
    );
    check(&files, "src/deep/x.ts", &[("@/a", "src/a.ts"), ("lib", "-")]);
    check(&files, "vite.config.ts", &[("lib", "lib/a.ts"), ("@/a", "-")]);
    check(&files, "test/x.ts", &[("@/a", "-"), ("lib", "-")]);
    check(&files, "lib/x.ts", &[("@/b", "lib/code/b.ts"), ("@/a", "-")]);
}

#[test]
fn a_broken_configuration_is_told_and_passed_over() {
    let files = repo(&["src/a.ts"], &[("tsconfig.json", "{\n  \"compilerOptions\": {\n<<<<<<< HEAD")]);
    check(&files, "x.ts", &[("@/a", "-"), ("./src/a", "src/a.ts")]);
    let resolver = ModuleResolver::new(&files, Path::new("/repo"));
    assert_eq!(resolver.resolve(Path::new("x.ts"), "@/a"), None);
    let notices = resolver.notices();
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].path, "tsconfig.json");
    assert!(notices[0].message.starts_with("3:1: "), "{}", notices[0].message);
}

#[test]
fn sveltekit_has_lib_unless_a_configuration_says_otherwise() {
    let config = ("svelte.config.js", "");
    let package = ("package.json", r#"{"name": "app", "devDependencies": {"@sveltejs/kit": "2"}}"#);
    let code = ["src/lib/index.ts", "src/lib/a.ts", "other/a.ts"];
    let extends = ("tsconfig.json", r#"{"extends": "./.svelte-kit/tsconfig.json"}"#);
    let files = repo(&code, &[config, package, extends]);
    check(&files, "src/routes/x.ts", &[("$lib/a", "src/lib/a.ts"), ("$lib", "src/lib/index.ts"), ("$lib/b", "-")]);
    check(&files, "src/routes/x.ts", &[("$env/static/private", "-"), ("$app/stores", "-")]);
    let files = repo(&code, &[package, extends]);
    check(&files, "src/routes/x.ts", &[("$lib/a", "-")]);
    let says = ("tsconfig.json", r#"{"compilerOptions": {"paths": {"$lib/*": ["./other/*"]}}}"#);
    let files = repo(&code, &[config, package, says]);
    check(&files, "src/routes/x.ts", &[("$lib/a", "other/a.ts"), ("$lib", "src/lib/index.ts")]);
}

#[test]
fn nuxt_has_its_aliases_before_it_wrote_them() {
    let package = ("package.json", r#"{"name": "app", "dependencies": {"nuxt": "4"}}"#);
    let extends = ("tsconfig.json", r#"{"extends": "./.nuxt/tsconfig.json"}"#);
    let references = ("tsconfig.json", r#"{"files": [], "references": [{"path": "./.nuxt/tsconfig.app.json"}]}"#);
    let three = ["composables/a.ts", "server/b.ts", "shared/c.ts"];
    for marks in [vec![package, extends], vec![package, references], vec![package, ("nuxt.config.ts", "")]] {
        check(
            &repo(&three, &marks),
            "server/api/x.ts",
            &[
                ("~/composables/a", "composables/a.ts"),
                ("@/server/b", "server/b.ts"),
                ("~~/server/b", "server/b.ts"),
                ("#shared/c", "shared/c.ts"),
                ("~/none", "-"),
                ("#imports", "-"),
            ],
        );
    }
    let four = ["app/composables/a.ts", "app/server/b.ts", "server/b.ts"];
    check(
        &repo(&four, &[package, extends]),
        "app/pages/x.ts",
        &[("~/composables/a", "app/composables/a.ts"), ("~~/server/b", "server/b.ts"), ("@@/composables/a", "-")],
    );
    let written = (".nuxt/tsconfig.json", r#"{"compilerOptions": {"paths": {"~/*": ["../app/*"]}}}"#);
    check(
        &repo(&four, &[package, extends, written]),
        "x.ts",
        &[("~/server/b", "app/server/b.ts"), ("@/server/b", "-")],
    );
    check(&repo(&four, &[package]), "x.ts", &[("~/server/b", "-"), ("@/server/b", "-")]);
}

#[test]
fn imports_of_the_nearest_package() {
    let files = repo(
        &["src/db.node.ts", "src/db.ts", "src/utils/a.ts", "src/b.ts", "web/src/b.ts", "packages/x/src/index.ts"],
        &[
            (
                "package.json",
                r##"{"name": "root", "workspaces": ["packages/*"], "imports": {
                    "#db": {"node": "./src/db.node.js", "default": "./src/db.js"}, "#internal/*": "./dist/*.js",
                    "#internal/secret/*": null, "#x": "x", "#ai": "ai", "#out": "../out.js",
                    "#utils/*": "./src/utils/*"}}"##,
            ),
            ("src/package.json", r#"{"type": "module"}"#),
            ("web/package.json", r##"{"name": "web", "imports": {"#b": "./src/b.ts"}}"##),
            ("packages/x/package.json", r#"{"name": "x", "main": "dist/index.js"}"#),
        ],
    );
    check(
        &files,
        "src/x.ts",
        &[
            ("#db", "src/db.ts"),
            ("#internal/utils/a", "src/utils/a.ts"),
            ("#internal/secret/a", "-"),
            ("#utils/a", "src/utils/a.ts"),
            ("#x", "packages/x/src/index.ts"),
            ("#ai", "-"),
            ("#out", "-"),
            ("#none", "-"),
            ("#b", "-"),
        ],
    );
    check(&files, "web/x.ts", &[("#b", "web/src/b.ts"), ("#db", "-")]);
}
