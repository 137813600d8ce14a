//! The module specifiers that a file's bytes hold, found without parsing: what a file imports decides whether it is parsed.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// What comes before a specifier.
static KEYWORDS: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(["from", "import", "require"]).expect("a few short patterns"));

/// No import that somebody wrote is longer.
const LONGEST: usize = 1024;

/// Every specifier in `from '…'`, `import '…'`, `import('…')` and `require('…')`, each as often as it occurs. More than
/// the imports: what looks like one within a comment or a text is among them.
pub(crate) fn specifiers(bytes: &[u8]) -> impl Iterator<Item = &str> {
    KEYWORDS.find_iter(bytes).filter_map(|found| {
        let mut rest = skip_space(&bytes[found.end()..]);
        if found.pattern().as_usize() != 0 {
            rest = rest.strip_prefix(b"(").map_or(rest, skip_space);
        }
        let quote = *rest.first().filter(|quote| matches!(quote, b'\'' | b'"' | b'`'))?;
        let text = &rest[1..rest.len().min(LONGEST)];
        let end = memchr::memchr3(quote, b'\n', b'\\', text)?;
        if text[end] == quote { std::str::from_utf8(&text[..end]).ok() } else { None }
    })
}

fn skip_space(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii_start()
}

#[cfg(test)]
mod tests {
    use super::specifiers;

    #[test]
    fn finds_every_form() {
        let text = "import a from './a';\nimport {\n  b,\n} from \"./b\"; import './c'\nexport * from`./d`\n\
                    const e = require( './e' ), f = await import(\n'./f')\nexport { g } from './g.js' with { type: 'json' }";
        let found: Vec<&str> = specifiers(text.as_bytes()).collect();
        assert_eq!(found, ["./a", "./b", "./c", "./d", "./e", "./f", "./g.js"]);
    }

    #[test]
    fn leaves_everything_else() {
        for text in
            ["from", "import x", "importance('a')", "Array.from([1])", "from 'a\nb'", "from '\\x'", "require(x)"]
        {
            assert_eq!(specifiers(text.as_bytes()).count(), 0, "{text}");
        }
        assert_eq!(specifiers("from 'a".as_bytes()).count(), 0);
        assert_eq!(specifiers(&[b'f', b'r', b'o', b'm', b'\'', 0xff, b'\'']).count(), 0);
    }
}
