use super::*;

struct Tree {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Tree {
    /// Files and folders (`name/`), each with empty content unless `name = content`.
    fn new(entries: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        for entry in entries {
            let (path, content) = entry.split_once(" = ").unwrap_or((entry, ""));
            let path = root.join(path);
            if entry.ends_with('/') {
                fs::create_dir_all(path).expect("created");
            } else {
                fs::create_dir_all(path.parent().expect("a parent")).expect("created");
                fs::write(path, content).expect("written");
            }
        }
        Self { _folder: folder, root }
    }

    #[cfg(unix)]
    fn link(&self, path: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.root.join(path)).expect("linked");
    }

    fn walk(&self, paths: &[&str]) -> Walk {
        let options = WalkOptions { cwd: self.root.clone(), ..WalkOptions::default() };
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        walk(&paths, &options).expect("the paths exist")
    }

    fn found(&self, paths: &[&str]) -> Vec<String> {
        self.walk(paths).files.iter().map(|file| shown(&file.path, &self.root)).collect()
    }
}

#[test]
fn takes_source_files_in_a_fixed_order() {
    let tree = Tree::new(&[
        "b.ts",
        "a-b/x.js",
        "a/y.tsx",
        "a/z.d.ts",
        "a/types.d.mts",
        "a.ts",
        "a/.hidden/h.mjs",
        "README.md",
    ]);
    assert_eq!(tree.found(&["."]), ["a/.hidden/h.mjs", "a/y.tsx", "a-b/x.js", "a.ts", "b.ts"]);
    assert_eq!(tree.found(&["a", "b.ts"]), ["a/.hidden/h.mjs", "a/y.tsx", "b.ts"]);
}

#[test]
fn tool_folders_are_pruned_and_ambiguous_names_only_with_a_mark() {
    assert!(TOOL_FOLDERS.is_sorted());
    let tree = Tree::new(&[
        "node_modules/ai/index.js",
        ".next/server/page.js",
        "build/make.ts",
        "out/print.ts",
        "dist/index.js",
        "target/CACHEDIR.TAG",
        "target/doc/search.js",
        "src/target/aim.ts",
        "coverage/lcov.info",
        "coverage/sorter.js",
        "src/coverage/measure.ts",
    ]);
    let expected = ["build/make.ts", "dist/index.js", "out/print.ts", "src/coverage/measure.ts", "src/target/aim.ts"];
    assert_eq!(tree.found(&["."]), expected);
    assert_eq!(tree.found(&["node_modules/ai"]), ["node_modules/ai/index.js"]);
}

#[test]
fn rules_of_folders_above_and_below_count() {
    let tree = Tree::new(&[
        ".git/",
        ".gitignore = *.gen.ts\n/dist\n",
        "dist/index.js",
        "a/x.gen.ts",
        "a/b/.gitignore = skip.ts\n!keep.gen.ts\n",
        "a/b/skip.ts",
        "a/b/keep.gen.ts",
        "a/b/c/skip.ts",
        "a/b2/skip.ts",
        "sub/.git = gitdir: elsewhere\n",
        "sub/x.gen.ts",
    ]);
    assert_eq!(tree.found(&["."]), ["a/b/keep.gen.ts", "a/b2/skip.ts", "sub/x.gen.ts"]);
    assert_eq!(tree.found(&["a/b"]), ["a/b/keep.gen.ts"]);
}

#[test]
fn what_is_named_is_inspected_even_if_ignored() {
    let tree = Tree::new(&[
        ".git/",
        ".gitignore = dist/\n*.gen.ts\n",
        "dist/index.js",
        "dist/x.gen.ts",
        "dist/.gitignore = own.ts\n",
        "dist/own.ts",
        "a.gen.ts",
        "node_modules/ai/types.d.ts",
        "README.md",
    ]);
    assert_eq!(tree.found(&["dist"]), ["dist/index.js", "dist/x.gen.ts"]);
    let walk = tree.walk(&["a.gen.ts", "node_modules/ai/types.d.ts", "README.md"]);
    assert_eq!(walk.files.len(), 2);
    assert!(walk.files.iter().all(|file| file.explicit));
    assert_eq!(walk.notices.len(), 1);
    assert_eq!((walk.notices[0].path.as_str(), walk.notices[0].kind), ("README.md", NoticeKind::NotInspected));

    let options = WalkOptions { cwd: tree.root.clone(), force_exclude: true, ..WalkOptions::default() };
    let named = ["dist", "a.gen.ts", "dist/index.js", "node_modules/ai/types.d.ts"].map(PathBuf::from);
    assert_eq!(super::walk(&named, &options).expect("they exist").files, []);
}

#[test]
fn a_missing_path_is_an_error() {
    let tree = Tree::new(&["a.ts"]);
    let options = WalkOptions { cwd: tree.root.clone(), ..WalkOptions::default() };
    let error = super::walk(&["a.ts".into(), "b.ts".into()], &options).expect_err("missing");
    assert_eq!(error, WalkError::Missing("b.ts".into()));
    assert_eq!(error.to_string(), "b.ts: no such file or directory");
}

#[test]
fn overlapping_paths_list_a_file_once() {
    let tree = Tree::new(&["src/a.ts", "src/b.ts"]);
    let absolute = tree.root.join("src/a.ts");
    let walk = tree.walk(&[".", "src", "src/../src/a.ts", absolute.to_str().expect("text"), "./src/"]);
    let files: Vec<_> = walk.files.iter().map(|file| (shown(&file.path, &tree.root), file.explicit)).collect();
    assert_eq!(files, [("src/a.ts".to_owned(), true), ("src/b.ts".to_owned(), false)]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_files_and_not_to_folders() {
    let tree = Tree::new(&["repo/src/a.ts", "repo/lib/c.ts", "repo/node_modules/x/i.ts", "outside/secret.ts"]);
    tree.link("repo/src/again.ts", "a.ts");
    tree.link("repo/src/c.ts", "../lib/c.ts");
    tree.link("repo/src/loop", "..");
    tree.link("repo/src/itself.ts", "itself.ts");
    tree.link("repo/src/nowhere.ts", "nothing.ts");
    tree.link("repo/src/dependency.ts", "../node_modules/x/i.ts");
    tree.link("repo/src/leak.ts", "../../outside/secret.ts");
    tree.link("named", "repo/lib");
    let walk = tree.walk(&["repo"]);
    let files: Vec<_> = walk.files.iter().map(|file| shown(&file.path, &tree.root)).collect();
    assert_eq!(files, ["repo/lib/c.ts", "repo/src/a.ts"]);
    assert_eq!(walk.notices.len(), 1);
    assert_eq!(walk.notices[0].path, "repo/src/leak.ts");
    // A folder that is named is entered even through a link, and its real path is preferred.
    assert_eq!(tree.found(&["named"]), ["named/c.ts"]);
    assert_eq!(tree.found(&["named", "repo/lib"]), ["repo/lib/c.ts"]);
    assert_eq!(tree.found(&["named/../src/a.ts"]), ["repo/src/a.ts"]);
    // In a repository a link may leave the walked folder.
    fs::create_dir(tree.root.join("repo/.git")).expect("created");
    assert_eq!(tree.found(&["repo/src"]), ["repo/src/a.ts", "repo/src/c.ts"]);
}

#[cfg(unix)]
#[test]
fn odd_names_and_unreadable_folders_do_not_stop_the_walk() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(&["a.ts", "closed/b.ts", "line\nbreak.ts"]);
    fs::write(tree.root.join(OsStr::from_bytes(b"\xff.ts")), "").expect("written");
    let closed = tree.root.join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("closed");
    // The superuser reads everything.
    let is_closed = fs::read_dir(&closed).is_err();
    let walk = tree.walk(&["."]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).expect("opened");
    assert_eq!(walk.files.len(), if is_closed { 3 } else { 4 });
    assert_eq!(walk.notices.len(), usize::from(is_closed));
}

#[test]
fn manifests_are_found_by_the_same_rules() {
    let tree = Tree::new(&["package.json", "a/package.json", "node_modules/ai/package.json", "a/x.ts"]);
    let options = WalkOptions { cwd: tree.root.clone(), ..WalkOptions::default() };
    let walk = walk_manifests(&[".".into()], &options).expect("it exists");
    let files: Vec<_> = walk.files.iter().map(|file| shown(&file.path, &tree.root)).collect();
    assert_eq!(files, ["a/package.json", "package.json"]);
    assert_eq!(walk_manifests(&["a/x.ts".into()], &options).expect("it exists").notices.len(), 1);
}
