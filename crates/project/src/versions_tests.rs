use std::ffi::OsString;
use std::io;
use std::sync::Mutex;

use super::*;
use crate::files::{FileKind, MemoryFiles};

fn catalog() -> Catalog {
    let package = |name: &str, newest: &[Release]| Package {
        pack: "ai-sdk".to_owned(),
        ecosystem: agentcheck_catalog::Ecosystem::Npm,
        name: name.to_owned(),
        newest: newest.to_vec(),
        thresholds: vec![Release::new(6, 0, 170)],
    };
    let ai = [Release::new(5, 0, 277), Release::new(6, 0, 257), Release::new(7, 0, 173)];
    let react = [Release::new(2, 0, 9), Release::new(3, 0, 134)];
    Catalog { packages: vec![package("ai", &ai), package("@ai-sdk/react", &react)], ..Catalog::default() }
}

/// The files of `/repo`, each as `path` and content.
fn repo(entries: &[(&str, &str)]) -> MemoryFiles {
    entries.iter().map(|(path, content)| (Path::new("/repo").join(path), *content)).collect()
}

fn show(evidence: &Evidence) -> String {
    let versions: Vec<String> = evidence.versions.members().iter().map(ToString::to_string).collect();
    let (range, file) = (evidence.range.as_deref().unwrap_or("-"), evidence.file.as_deref().unwrap_or("-"));
    format!("{} [{range}] {} {file}", versions.join(" "), evidence.source.name())
}

/// What is known of `ai` in `/repo/<file>`, as versions, range, source and file.
fn ai(files: &dyn Files, file: &str) -> String {
    let catalog = catalog();
    let resolver = VersionResolver::new(files, &catalog, Vec::new(), Path::new("/repo"));
    show(&resolver.evidence(&Path::new("/repo").join(file), "ai"))
}

const ALL: &str = "5.0.0 5.0.277 6.0.0 6.0.170 6.0.257 7.0.0 7.0.173";

#[test]
fn each_source_gives_way_to_a_better_one() {
    let mut files = repo(&[("a/src/x.ts", "")]);
    assert_eq!(ai(&files, "a/src/x.ts"), format!("{ALL} [-] assumed -"));
    files.insert("/repo/a/package.json", r#"{"dependencies": {"ai": "^6.0.100"}}"#);
    assert_eq!(ai(&files, "a/src/x.ts"), "6.0.100 6.0.170 6.0.257 [^6.0.100] manifest a/package.json");
    files.insert(
        "/repo/a/package-lock.json",
        r#"{"lockfileVersion": 3, "packages": {"": {}, "node_modules/ai": {"version": "6.0.132"}}}"#,
    );
    assert_eq!(ai(&files, "a/src/x.ts"), "6.0.132 [^6.0.100] lockfile a/package-lock.json");
    files.insert("/repo/a/node_modules/ai/package.json", r#"{"name": "ai", "version": "6.0.140"}"#);
    assert_eq!(ai(&files, "a/src/x.ts"), "6.0.140 [^6.0.100] node_modules a/node_modules/ai/package.json");

    let catalog = catalog();
    let target = |text: &str| ("ai".to_owned(), text.parse().expect("a version"));
    let targets = vec![target("4.0.0"), target("8.1.0")];
    let resolver = VersionResolver::new(&files, &catalog, targets, Path::new("/repo"));
    let evidence = resolver.evidence(Path::new("/repo/a/src/x.ts"), "ai");
    assert_eq!(show(&evidence), "8.1.0 [-] target -");
    assert!(evidence.beyond_known);
    let other = resolver.evidence(Path::new("a/src/x.ts"), "nobody-knows");
    assert_eq!(show(&other), "0.0.0 [-] assumed -");
    assert_eq!(resolver.notices(), []);
}

#[test]
fn manifests_that_do_not_declare_the_package_are_passed_over() {
    let files = repo(&[
        ("package.json", r#"{"devDependencies": {"ai": "5.0.100"}}"#),
        ("a/package.json", r#"{"name": "a", "dependencies": {"zod": "^4"}}"#),
        ("a/src/package.json", r#"{"type": "module"}"#),
        ("b/package.json", r#"{"dependencies": {"ai": "latest"}}"#),
        ("c/package.json", r#"{"dependencies": {"ai": "github:vercel/ai"}}"#),
        ("d/package.json", r#"{"dependencies": {"ai": "^8.0.0-beta.1"}}"#),
    ]);
    assert_eq!(ai(&files, "a/src/x.ts"), "5.0.100 [5.0.100] manifest package.json");
    assert_eq!(ai(&files, "b/x.ts"), format!("{ALL} [latest] assumed -"));
    assert_eq!(ai(&files, "c/x.ts"), format!("{ALL} [github:vercel/ai] assumed -"));
    assert_eq!(ai(&files, "d/x.ts"), "8.0.0-beta.1 [^8.0.0-beta.1] manifest d/package.json");
}

#[test]
fn an_installation_further_up_must_fit_the_declared_range() {
    let files = repo(&[
        ("node_modules/ai/package.json", r#"{"name": "ai", "version": "7.0.1"}"#),
        ("a/package.json", r#"{"dependencies": {"ai": "^7.0.0"}}"#),
        ("b/package.json", r#"{"dependencies": {"ai": "^6.0.170"}}"#),
        ("c/package.json", r#"{"name": "c"}"#),
        ("d/package.json", r#"{"dependencies": {"ai": "^6.0.0"}}"#),
        ("d/node_modules/ai/package.json", r#"{"name": "ai", "version": "5.0.1"}"#),
    ]);
    assert_eq!(ai(&files, "a/x.ts"), "7.0.1 [^7.0.0] node_modules node_modules/ai/package.json");
    assert_eq!(ai(&files, "b/x.ts"), "6.0.170 6.0.257 [^6.0.170] manifest b/package.json");
    assert_eq!(ai(&files, "c/x.ts"), "7.0.1 [-] node_modules node_modules/ai/package.json");
    // Right beside the manifest it is what runs, whatever was meant.
    assert_eq!(ai(&files, "d/x.ts"), "5.0.1 [^6.0.0] node_modules d/node_modules/ai/package.json");
}

#[test]
fn a_library_stands_for_all_majors_of_its_peer_range() {
    let files = repo(&[
        ("a/package.json", r#"{"peerDependencies": {"ai": "^6.0.170 || ^7"}, "devDependencies": {"ai": "7.0.10"}}"#),
        ("a/node_modules/ai/package.json", r#"{"name": "ai", "version": "7.0.10"}"#),
        ("b/package.json", r#"{"peerDependencies": {"ai": "^7"}}"#),
        ("b/node_modules/ai/package.json", r#"{"name": "ai", "version": "7.0.10"}"#),
        ("c/package.json", r#"{"peerDependencies": {"ai": ">=6.0.170"}, "dependencies": {"ai": "^7.0.0"}}"#),
    ]);
    let both = "6.0.170 6.0.257 7.0.0 7.0.10 7.0.173 [^6.0.170 || ^7] manifest a/package.json";
    assert_eq!(ai(&files, "a/x.ts"), both);
    let here = "7.0.10 [7.0.10] node_modules a/node_modules/ai/package.json";
    for file in ["a/x.test.ts", "a/tests/x.ts", "a/src/__tests__/deep/x.ts", "a/vitest.config.ts"] {
        assert_eq!(ai(&files, file), here, "{file}");
    }
    assert_eq!(ai(&files, "a/src/contest.ts"), both);
    assert_eq!(ai(&files, "b/x.ts"), "7.0.10 [^7] node_modules b/node_modules/ai/package.json");
    assert_eq!(ai(&files, "c/x.ts"), "7.0.0 7.0.173 [^7.0.0] manifest c/package.json");
}

#[test]
fn a_package_knows_its_own_version_and_a_namesake_does_not_pass_for_it() {
    let files = repo(&[
        ("node_modules/ai/package.json", r#"{"name": "ai", "version": "6.0.1"}"#),
        ("packages/ai/package.json", r#"{"name": "ai", "version": "7.0.77"}"#),
        ("packages/ai/src/package.json", r#"{"type": "module"}"#),
        ("app/package.json", r#"{"name": "ai", "version": "0.1.0", "dependencies": {"ai": "^6"}}"#),
        ("fork/node_modules/ai/package.json", r#"{"name": "@acme/ai", "version": "1.0.0"}"#),
        ("fork/package.json", r#"{"dependencies": {"ai": "npm:@acme/ai@^1"}}"#),
    ]);
    assert_eq!(ai(&files, "packages/ai/src/x.ts"), "7.0.77 [-] manifest packages/ai/package.json");
    assert_eq!(ai(&files, "app/x.ts"), "6.0.1 [^6] node_modules node_modules/ai/package.json");
    assert_eq!(ai(&files, "fork/x.ts"), format!("{ALL} [-] assumed -"));
}

#[test]
fn aliases_lead_to_the_package_behind_them() {
    let files = repo(&[
        ("package.json", r#"{"workspaces": {"packages": ["b"], "catalog": {"ai6": "npm:ai@6.0.20"}}}"#),
        (
            "a/package.json",
            r#"{"dependencies": {"ai": "^7", "ai5": "npm:ai@^5.0.277", "zod": "^4", "x": "workspace:ai@*"}}"#,
        ),
        ("b/package.json", r#"{"dependencies": {"ai6": "catalog:"}}"#),
        (
            "bun.lock",
            r#"{"workspaces": {"a": {"name": "a",}}, "packages": {"ai": ["ai@7.0.9"], "ai5": ["ai@5.0.300"]}}"#,
        ),
    ]);
    let catalog = catalog();
    let resolver = VersionResolver::new(&files, &catalog, Vec::new(), Path::new("/repo/a"));
    let alias = |file: &str, name: &str| resolver.alias(Path::new(file), name);
    assert_eq!(alias("/repo/a/x.ts", "ai5"), Some("ai".to_owned()));
    assert_eq!(alias("/repo/a/x.ts", "x"), Some("ai".to_owned()));
    assert_eq!(alias("/repo/b/x.ts", "ai6"), Some("ai".to_owned()));
    assert_eq!(alias("/repo/a/x.ts", "ai"), None);
    assert_eq!(alias("/repo/a/x.ts", "zod"), None);
    assert_eq!(alias("/repo/a/x.ts", "none"), None);
    let evidence = |file: &str, name: &str| show(&resolver.evidence_for(Path::new(file), name, "ai"));
    assert_eq!(evidence("/repo/a/x.ts", "ai5"), "5.0.300 [^5.0.277] lockfile ../bun.lock");
    assert_eq!(evidence("/repo/a/x.ts", "ai"), "7.0.9 [^7] lockfile ../bun.lock");
    assert_eq!(evidence("/repo/b/x.ts", "ai6"), "6.0.20 [6.0.20] manifest ../package.json");
}

#[test]
fn workspaces_share_packages_and_catalogs() {
    let workspace =
        "packages:\n  - packages/*\n  - apps/*\ncatalog:\n  ai: 6.0.30\ncatalogs:\n  next:\n    ai: ^7.0.66\n";
    let mut files = repo(&[
        ("pnpm-workspace.yaml", workspace),
        ("packages/core/package.json", r#"{"name": "ai", "version": "7.0.77"}"#),
        ("packages/core/src/x.ts", ""),
        ("apps/a/package.json", r#"{"dependencies": {"ai": "workspace:*"}}"#),
        ("apps/b/package.json", r#"{"dependencies": {"ai": "catalog:"}}"#),
        ("apps/c/package.json", r#"{"dependencies": {"ai": "catalog:next"}}"#),
        ("apps/d/package.json", r#"{"dependencies": {"ai": "link:../../packages/core"}}"#),
        ("apps/e/package.json", r#"{"dependencies": {"ai": "workspace:../../packages/core"}}"#),
        ("apps/f/package.json", r#"{"dependencies": {"ai": "catalog:none"}}"#),
        ("other/g/package.json", r#"{"dependencies": {"ai": "workspace:^"}}"#),
    ]);
    let core = "manifest packages/core/package.json";
    assert_eq!(ai(&files, "apps/a/x.ts"), format!("7.0.77 [workspace:*] {core}"));
    assert_eq!(ai(&files, "apps/b/x.ts"), "6.0.30 [6.0.30] manifest pnpm-workspace.yaml");
    assert_eq!(ai(&files, "apps/c/x.ts"), "7.0.66 7.0.173 [^7.0.66] manifest pnpm-workspace.yaml");
    assert_eq!(ai(&files, "apps/d/x.ts"), format!("7.0.77 [link:../../packages/core] {core}"));
    assert_eq!(ai(&files, "apps/e/x.ts"), format!("7.0.77 [workspace:../../packages/core] {core}"));
    assert_eq!(ai(&files, "apps/f/x.ts"), format!("{ALL} [catalog:none] assumed -"));
    assert_eq!(ai(&files, "other/g/x.ts"), format!("7.0.77 [workspace:^] {core}"));

    files.insert(
        "/repo/pnpm-lock.yaml",
        "lockfileVersion: '9.0'\nimporters:\n  apps/a:\n    dependencies:\n      ai:\n        specifier: workspace:*\n        \
         version: link:../../packages/core\n  apps/c:\n    dependencies:\n      ai:\n        specifier: catalog:next\n        \
         version: 7.0.70(zod@4.0.0)\n",
    );
    assert_eq!(ai(&files, "apps/a/x.ts"), format!("7.0.77 [workspace:*] {core}"));
    assert_eq!(ai(&files, "apps/c/x.ts"), "7.0.70 [^7.0.66] lockfile pnpm-lock.yaml");
    assert_eq!(ai(&files, "apps/b/x.ts"), "6.0.30 [6.0.30] manifest pnpm-workspace.yaml");
}

#[test]
fn yarn_needs_the_workspace_to_tell_whose_lockfile_it_is() {
    let files = repo(&[
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        ("yarn.lock", "ai@^6.0.0:\n  version \"6.0.40\"\n"),
        ("packages/a/package.json", r#"{"dependencies": {"ai": "^6.0.0"}}"#),
        ("examples/b/package.json", r#"{"dependencies": {"ai": "^6.0.0"}}"#),
    ]);
    assert_eq!(ai(&files, "packages/a/x.ts"), "6.0.40 [^6.0.0] lockfile yarn.lock");
    assert_eq!(ai(&files, "examples/b/x.ts"), "6.0.0 6.0.170 6.0.257 [^6.0.0] manifest examples/b/package.json");
}

#[test]
fn a_stray_lockfile_does_not_hide_the_right_one() {
    let files = repo(&[
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\nimporters:\n  a:\n    dependencies:\n      ai:\n        version: 6.0.50\n",
        ),
        ("a/package.json", r#"{"dependencies": {"ai": "^6.0.0"}}"#),
        ("a/package-lock.json", r#"{"lockfileVersion": 3, "packages": {"": {}}}"#),
        ("b/package.json", r#"{"dependencies": {"ai": "^6.0.170"}}"#),
        ("b/bun.lockb", "binary"),
    ]);
    assert_eq!(ai(&files, "a/x.ts"), "6.0.50 [^6.0.0] lockfile pnpm-lock.yaml");
    let catalog = catalog();
    let resolver = VersionResolver::new(&files, &catalog, Vec::new(), Path::new("/repo"));
    let evidence = resolver.evidence(Path::new("/repo/b/x.ts"), "ai");
    assert_eq!(show(&evidence), "6.0.170 6.0.257 [^6.0.170] manifest b/package.json");
    assert_eq!(resolver.notices().iter().map(|notice| notice.path.as_str()).collect::<Vec<_>>(), ["b/bun.lockb"]);
}

#[test]
fn what_is_broken_is_told_once_and_the_rest_is_used() {
    let files = repo(&[
        ("package.json", "{\"dependencies\": {\"ai\": \"^6.0.170\",\n!"),
        ("package-lock.json", "{\"lockfileVersion\": 3,\n \"packages\": nonsense"),
        ("node_modules/ai/package.json", "{\"name\": \"ai\", \"version\": 5}"),
    ]);
    let catalog = catalog();
    let resolver = VersionResolver::new(&files, &catalog, Vec::new(), Path::new("/repo"));
    for file in ["x.ts", "src/y.ts"] {
        let evidence = resolver.evidence(&Path::new("/repo").join(file), "ai");
        assert_eq!(show(&evidence), "6.0.170 6.0.257 [^6.0.170] manifest package.json");
    }
    let notices: Vec<String> =
        resolver.notices().iter().map(|notice| format!("{}:{}", notice.path, notice.message)).collect();
    assert_eq!(
        notices,
        [
            "node_modules/ai/package.json:1:16: `version` is a number; expected a string",
            "package-lock.json:2:15: expected ident",
            "package.json:2:1: key must be a string",
        ]
    );
}

#[test]
fn the_survey_lists_what_each_manifest_declares() {
    let files = repo(&[
        ("package.json", r#"{"devDependencies": {"typescript": "5"}}"#),
        ("a/package.json", r#"{"dependencies": {"@ai-sdk/react": "3.0.1", "ai5": "npm:ai@5.0.2", "zod": "4"}}"#),
    ]);
    let catalog = catalog();
    let resolver = VersionResolver::new(&files, &catalog, Vec::new(), Path::new("/repo"));
    let surveyed = resolver.survey(&["/repo/package.json".into(), "a/package.json".into(), "none/package.json".into()]);
    assert_eq!(surveyed.len(), 1);
    assert_eq!(surveyed[0].path, "a/package.json");
    let packages: Vec<_> =
        surveyed[0].packages.iter().map(|package| (package.dependency.as_str(), show(&package.evidence))).collect();
    assert_eq!(
        packages,
        [
            ("@ai-sdk/react", "3.0.1 [3.0.1] manifest a/package.json".to_owned()),
            ("ai5", "5.0.2 [5.0.2] manifest a/package.json".to_owned()),
        ]
    );
}

/// Notes every question to the file system.
struct Watched {
    files: MemoryFiles,
    asked: Mutex<Vec<String>>,
}

impl Watched {
    fn note(&self, question: &str, path: &Path) {
        self.asked.lock().expect("no panic").push(format!("{question} {}", path.display()));
    }
}

impl Files for Watched {
    fn read_into(&self, path: &Path, limit: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        self.note("read", path);
        self.files.read_into(path, limit, buffer)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.note("kind", path);
        self.files.kind(path)
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        self.note("canonical", path);
        self.files.canonical(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        self.note("list", directory);
        self.files.list(directory)
    }
}

#[test]
fn threads_share_what_was_read() {
    let files = repo(&[
        ("pnpm-workspace.yaml", "packages:\n  - packages/*\n"),
        ("packages/core/package.json", r#"{"name": "ai", "version": "7.0.77"}"#),
        ("packages/a/package.json", r#"{"dependencies": {"ai": "workspace:*"}}"#),
        ("packages/b/package.json", r#"{"dependencies": {"ai": "^6.0.0"}}"#),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n"),
    ]);
    let watched = Watched { files, asked: Mutex::default() };
    let catalog = catalog();
    let resolver = VersionResolver::new(&watched, &catalog, Vec::new(), Path::new("/repo"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for index in 0..50 {
                    let folder = format!("/repo/packages/{}/src/{}", if index % 2 == 0 { "a" } else { "b" }, index % 5);
                    let evidence = resolver.evidence(&Path::new(&folder).join("x.ts"), "ai");
                    let major = evidence.versions.newest().release.major;
                    assert_eq!(major, if index % 2 == 0 { 7 } else { 6 });
                }
            });
        }
    });
    let mut asked = watched.asked.lock().expect("no panic").clone();
    asked.sort_unstable();
    let count = asked.len();
    asked.dedup();
    assert_eq!(asked.len(), count, "{asked:#?}");
}

#[test]
fn odd_paths_are_no_danger() {
    let files = repo(&[("package.json", r#"{"dependencies": {"ai": "link:../../../../.."}}"#)]);
    let catalog = catalog();
    let resolver = VersionResolver::new(&files, &catalog, Vec::new(), Path::new("/repo"));
    let deep = format!("/repo/{}x.ts", "d/".repeat(1_000));
    assert_eq!(show(&resolver.evidence(Path::new(&deep), "ai")), format!("{ALL} [link:../../../../..] assumed -"));
    for file in ["", "/", "x.ts", "../../../x.ts", "/repo/line\nbreak/x.ts"] {
        for name in ["ai", "../ai", "/etc", "", "@", "a\0b"] {
            let _ = (resolver.evidence_for(Path::new(file), name, "ai"), resolver.alias(Path::new(file), name));
        }
    }
}
