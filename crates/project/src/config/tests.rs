use agentcheck_catalog::{Category, Package, Release, RuleKind};

use super::*;
use crate::effective::Configs;
use crate::files::MemoryFiles;
use crate::walk::FoundFile;

fn catalog() -> Catalog {
    let packages = vec![Package {
        pack: "ai-sdk".to_owned(),
        ecosystem: agentcheck_catalog::Ecosystem::Npm,
        name: "ai".to_owned(),
        newest: vec![Release::new(6, 0, 257), Release::new(7, 0, 173)],
        thresholds: Vec::new(),
    }];
    let rule = |id: &str, renamed_from: &[&str], category, options: &[&str]| Rule {
        needs: Vec::new(),
        id: id.to_owned(),
        renamed_from: renamed_from.iter().map(ToString::to_string).collect(),
        category,
        summary: String::new(),
        kind: RuleKind::Check,
        cases: Vec::new(),
        yields_to: Vec::new(),
        options: options.iter().map(ToString::to_string).collect(),
    };
    let rules = vec![
        rule("ai-sdk/max-steps", &["ai-sdk/old-steps"], Category::Loop, &[]),
        rule("ai-sdk/tool-error-leak", &[], Category::Leak, &["helpers", "loggers"]),
        rule("mcp/open-server", &[], Category::Leak, &[]),
    ];
    Catalog { packages, rules, ..Catalog::default() }
}

fn parse(text: &str) -> Result<Config, Vec<ConfigError>> {
    Config::parse(Path::new("/repo/agentcheck.toml"), text.into(), &catalog())
}

/// The errors of a text, as the marked part, the message and the help.
fn errors(text: &str) -> Vec<(String, String, String)> {
    let errors = parse(text).expect_err("something is wrong");
    let shown = |error: ConfigError| {
        (error.span.text(text).to_owned(), error.message.clone(), error.help.clone().unwrap_or_default())
    };
    errors.into_iter().map(shown).collect()
}

#[test]
fn the_most_exact_setting_wins() {
    let config = parse(
        "pedantic = true\nfail-on = \"error\"\n[rules]\n\"ai-sdk/old-steps\" = \"off\"\n\"ai-sdk/*\" = \"warning\"\n\
         \"category:leak\" = \"error\"\n[rules.\"ai-sdk/tool-error-leak\"]\nhelpers = [\"redact\", \"clean\"]\n[target]\n\
         ai = \"7.0.0-beta.3\"\n",
    )
    .expect("a good file");
    let catalog = catalog();
    let settings: Vec<_> = catalog.rules.iter().map(|rule| config.severity_of(rule)).collect();
    let at = |severity| Some(Setting::At(severity));
    assert_eq!(settings, [Some(Setting::Off), at(Severity::Warning), at(Severity::Error)]);
    assert_eq!(config.options_of("ai-sdk/tool-error-leak", "helpers"), ["redact", "clean"]);
    assert_eq!(config.options_of("ai-sdk/tool-error-leak", "loggers"), [""; 0]);
    assert_eq!(config.options_of("none", "helpers"), [""; 0]);
    assert_eq!(config.pedantic, Some(true));
    assert_eq!(config.fail_on, Some(Severity::Error));
    assert_eq!(config.targets[0].1.to_string(), "7.0.0-beta.3");
    assert_eq!(config.root.as_deref(), Some(Path::new("/repo")));
    let default = Config::default();
    assert!(catalog.rules.iter().all(|rule| default.severity_of(rule).is_none()));
    assert_eq!(
        parse(""),
        Ok(Config { path: Some("/repo/agentcheck.toml".into()), root: Some("/repo".into()), ..default })
    );
}

#[test]
fn every_error_is_told_where_it_stands() {
    let text = "pedantic = 1\nfail_on = \"error\"\n[rules]\n\"ai-sdk/max-step\" = \"off\"\n\"ai-sdk/*\" = \"warn\"\n\
                \"category:leek\" = \"off\"\n\"mcp/open-server\" = true\n[rules.\"ai-sdk/tool-error-leak\"]\nhelper = []\n\
                helpers = \"redact\"\nloggers = [\"a\", 2]\nseverity = 3\n[rules.\"category:leak\"]\nhelpers = []\n[target]\n\
                aj = \"7.0.0\"\nai = \"7\"\n";
    let errors = errors(text);
    let errors: Vec<_> =
        errors.iter().map(|(part, message, help)| (part.as_str(), message.as_str(), help.as_str())).collect();
    assert_eq!(
        errors,
        [
            ("1", "`pedantic` is an integer", "expected `true` or `false`"),
            ("fail_on", "unknown key `fail_on`", "did you mean `fail-on`?"),
            ("\"ai-sdk/max-step\"", "there is no rule called `ai-sdk/max-step`", "did you mean `ai-sdk/max-steps`?"),
            ("\"warn\"", "unknown severity `warn`", "did you mean `warning`?"),
            ("\"category:leek\"", "there is no category called `leek`", "did you mean `category:leak`?"),
            (
                "true",
                "`mcp/open-server` is a boolean",
                "expected a severity, or a table with `severity` and the rule's options"
            ),
            ("helper", "`ai-sdk/tool-error-leak` has no option `helper`", "did you mean `helpers`?"),
            ("\"redact\"", "`helpers` is a string", "expected a list of strings"),
            ("2", "`loggers` is an integer", "expected a list of strings"),
            ("3", "`severity` is an integer", "expected \"off\", \"info\", \"warning\" or \"error\""),
            ("helpers", "`category:leak` takes no options, only `severity`", "set options at a rule's own id"),
            ("aj", "no rule depends on the version of `aj`", "one of `ai`"),
            (
                "\"7\"",
                "`7` is not a full version such as 7.0.173",
                "the newest known release of that major is `7.0.173`"
            ),
        ]
    );
}

#[test]
fn broken_files_have_their_errors_too() {
    let (part, message, _) = errors("pedantic = \n[rules]\n").remove(0);
    assert!(message.contains("value"), "{message} at {part:?}");
    assert!(!errors("pedantic = true\npedantic = false\n").is_empty());
    assert!(!errors(&format!("x = {}", "[".repeat(100_000))).is_empty());
    let twice = errors("[rules]\n\"ai-sdk/old-steps\" = \"off\"\n\"ai-sdk/max-steps\" = \"error\"\n");
    assert_eq!(twice[0].2, "keep one of them");
    assert_eq!(errors("rules = 3\ntarget = []\nfail-on = \"off\"\n").len(), 3);
}

#[test]
fn the_closest_file_is_found() {
    let files: MemoryFiles =
        [("/repo/agentcheck.toml", ""), ("/repo/a/agentcheck.toml", ""), ("/repo/a/b/agentcheck.toml/x", "")]
            .into_iter()
            .collect();
    let found = ["/other/x.ts", "/repo/a/b/c.ts", "/repo/d/e/f.ts"].map(|path| FoundFile {
        path: path.into(),
        explicit: false,
        reported: true,
    });
    let configs = Configs::read(&found, &files, &catalog()).expect("they can be read");
    let paths = configs.of_file.iter().map(|index| configs.all[*index].path.as_deref());
    let expected = [None, Some("/repo/a/agentcheck.toml"), Some("/repo/agentcheck.toml")];
    assert_eq!(paths.collect::<Vec<_>>(), expected.map(|path| path.map(Path::new)));
    assert_eq!(Config::load(Path::new("/none"), &files, &catalog()).expect_err("missing").len(), 1);
}

fn load(files: &[(&str, &str)], path: &str) -> Result<Config, Vec<ConfigError>> {
    let files: MemoryFiles = files.iter().copied().collect();
    Config::load(Path::new(path), &files, &catalog())
}

#[test]
fn what_a_file_says_wins_over_what_it_extends() {
    let files = [
        (
            "/repo/app/agentcheck.toml",
            "extends = [\"@acme/strict\", \"../base.toml\"]\n[rules]\n\"ai-sdk/*\" = \"info\"\n",
        ),
        (
            "/repo/node_modules/@acme/strict/agentcheck.toml",
            "pedantic = true\nexclude = \"vendor\"\nbaseline = \"b.json\"\n",
        ),
        (
            "/repo/base.toml",
            "pedantic = false\n[rules]\n\"ai-sdk/max-steps\" = \"error\"\n\"category:leak\" = \"off\"\n",
        ),
    ];
    let config = load(&files, "/repo/app/agentcheck.toml").expect("good files");
    let settings: Vec<_> = catalog().rules.iter().map(|rule| config.severity_of(rule)).collect();
    let info = Some(Setting::At(Severity::Info));
    assert_eq!(settings, [info, info, Some(Setting::Off)]);
    assert_eq!(config.pedantic, Some(false));
    // Paths are those of the project, not of the package.
    assert!(config.excludes(Path::new("/repo/app/vendor/a.ts")) && !config.excludes(Path::new("/repo/vendor/a.ts")));
    assert_eq!(config.baseline.as_deref(), Some(Path::new("/repo/app/b.json")));
}

#[test]
fn extending_what_is_not_there_or_oneself_is_an_error() {
    let missing = load(&[("/r/agentcheck.toml", "extends = \"./none.toml\"\n")], "/r/agentcheck.toml");
    assert_eq!(missing.expect_err("missing")[0].message, "`./none.toml` cannot be found");
    let circle =
        [("/r/agentcheck.toml", "extends = \"./b.toml\"\n"), ("/r/b.toml", "\n\nextends = \"./agentcheck.toml\"")];
    let errors = load(&circle, "/r/agentcheck.toml").expect_err("a circle");
    assert_eq!(errors[0].path, Path::new("/r/b.toml"));
    assert_eq!(errors[0].span.text(circle[1].1), "\"./agentcheck.toml\"");
}

#[test]
fn files_are_included_excluded_and_set_otherwise() {
    let config = parse(
        "include = [\"src/**\"]\nexclude = [\"**/*.gen.ts\"]\n[rules]\n\"ai-sdk/max-steps\" = \"error\"\n[[overrides]]\n\
         files = \"src/old/**\"\npedantic = true\nrules = { \"ai-sdk/*\" = \"info\" }\n[per-file-ignores]\n\
         \"*.test.ts\" = [\"ai-sdk/max-steps\"]\n",
    )
    .expect("a good file");
    let excluded = ["src/a.ts", "src/a.gen.ts", "lib/a.ts"].map(|file| config.excludes(&Path::new("/repo").join(file)));
    assert_eq!(excluded, [false, true, true]);
    assert!(config.excludes(Path::new("/elsewhere/src/a.ts")));
    let of = |file: &str| {
        let config = config.with_overrides(&config.overrides_of(&Path::new("/repo").join(file)));
        (config.severity_of(&catalog().rules[0]), config.pedantic)
    };
    assert_eq!(of("src/a.ts"), (Some(Setting::At(Severity::Error)), None));
    assert_eq!(of("src/old/a.ts"), (Some(Setting::At(Severity::Info)), Some(true)));
    assert_eq!(of("src/old/a.test.ts"), (Some(Setting::Off), Some(true)));
}

#[test]
fn errors_in_globs_and_overrides_stand_where_they_are() {
    let text = "exclude = [\"a\", \"{\"]\n[[overrides]]\nrules = {}\n[[overrides]]\nfiles = \"b\"\nexclude = \"c\"\n\
                [per-file-ignores]\nx = \"ai-sdk/max-step\"\n";
    let errors = errors(text);
    let parts: Vec<_> = errors.iter().map(|(part, ..)| part.as_str()).collect();
    assert_eq!(parts[0], "\"{\"");
    assert!(errors[1].1.contains("no `files`"), "{errors:?}");
    assert_eq!((parts[2], errors[2].1.as_str()), ("exclude", "unknown key `exclude`"));
    assert_eq!(errors[3].2, "did you mean `ai-sdk/max-steps`?");
}
