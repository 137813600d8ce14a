use agentcheck_catalog::{Category, Release, RuleKind};

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
    assert!(config.pedantic);
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
