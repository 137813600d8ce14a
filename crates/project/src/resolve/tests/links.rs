//! Symbolic links: an installation links to the workspace's packages, and the project may be reached through one.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::files::Disk;
use crate::resolve::ModuleResolver;
use crate::walk::{WalkOptions, walk};

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    }
}

fn link(root: &Path, target: &str, at: &str) {
    let at = root.join(at);
    fs::create_dir_all(at.parent().expect("a folder")).expect("made");
    symlink(target, at).expect("linked");
}

#[test]
fn installed_links_lead_to_the_workspace_and_no_further() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(folder.path()).expect("it is there");
    write(
        &root,
        &[
            ("repo/.git/HEAD", ""),
            ("repo/package.json", r#"{"name": "root"}"#),
            ("repo/lib/package.json", r#"{"name": "lib", "main": "dist/index.js"}"#),
            ("repo/lib/src/index.ts", ""),
            ("repo/lib/dist/index.js", ""),
            ("repo/app/package.json", r#"{"name": "app", "dependencies": {"lib": "^9"}}"#),
            ("repo/app/x.ts", ""),
            ("repo/node_modules/.pnpm/ai@5/node_modules/ai/package.json", r#"{"name": "ai"}"#),
            ("repo/node_modules/.pnpm/ai@5/node_modules/ai/index.js", ""),
            ("elsewhere/package.json", r#"{"name": "elsewhere"}"#),
            ("elsewhere/index.ts", ""),
        ],
    );
    link(&root, "../../lib", "repo/app/node_modules/lib");
    link(&root, "../../node_modules/.pnpm/ai@5/node_modules/ai", "repo/app/node_modules/ai");
    link(&root, "../../../elsewhere", "repo/app/node_modules/elsewhere");
    link(&root, "loop", "repo/app/node_modules/loop");
    let resolver = ModuleResolver::new(&Disk, &root.join("repo"));
    let found = |specifier| resolver.resolve(Path::new("app/x.ts"), specifier);
    let source = root.join("repo/lib/src/index.ts");
    assert_eq!(found("lib"), Some(source.clone()));
    assert_eq!(found("./node_modules/lib/src"), Some(source));
    for outside in ["ai", "elsewhere", "loop", "./node_modules/ai", "./node_modules/loop"] {
        assert_eq!(found(outside), None, "{outside}");
    }
}

#[test]
fn files_are_spelled_as_the_walk_spells_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(folder.path()).expect("it is there");
    let paths = r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#;
    write(
        &root,
        &[
            ("real/package.json", r#"{"name": "root", "workspaces": ["packages/*"]}"#),
            ("real/tsconfig.json", paths),
            ("real/src/a.ts", ""),
            ("real/src/b.ts", ""),
            ("real/packages/x/package.json", r#"{"name": "x"}"#),
            ("real/packages/x/index.ts", ""),
        ],
    );
    link(&root, "real", "linked");
    link(&root, "b.ts", "real/src/c.ts");
    link(&root, "../src", "real/lib/src");
    for name in ["real", "linked"] {
        let given = root.join(name);
        let options = WalkOptions { cwd: given.clone(), ..WalkOptions::default() };
        let walked = walk(std::slice::from_ref(&given), &options).expect("it is there").files;
        let resolver = ModuleResolver::new(&Disk, &given);
        let from = given.join("src/a.ts");
        for (specifier, expected) in [
            ("./b", "src/b.ts"),
            ("@/b", "src/b.ts"),
            ("./c", "src/b.ts"),
            ("../lib/src/b", "src/b.ts"),
            ("x", "packages/x/index.ts"),
        ] {
            let found = resolver.resolve(&from, specifier).expect(specifier);
            assert_eq!(found, given.join(expected), "{specifier}");
            assert!(walked.iter().any(|file| file.path == found), "{specifier}");
        }
    }
}
