//! File addresses as editors write them.

use std::path::{Path, PathBuf};

/// The path of a `file:` address; `None` for anything else.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // A host stands before the first slash; it is empty, or this machine.
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push((high * 16 + low) as u8);
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/x` on Windows.
    let path = match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() && cfg!(windows) => &path[1..],
        _ => &path,
    };
    Some(PathBuf::from(path))
}

/// The address of an absolute path.
pub(crate) fn of_path(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut uri = String::from("file://");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'@' | b'(' | b')' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths() {
        for path in ["/a/b.ts", "/a b/[id]/ü.ts", "/100%/x.ts"] {
            assert_eq!(to_path(&of_path(Path::new(path))).expect("a path"), Path::new(path));
        }
        assert_eq!(to_path("file:///a/%5Bid%5D.ts").expect("a path"), Path::new("/a/[id].ts"));
        assert_eq!(to_path("file://localhost/a.ts").expect("a path"), Path::new("/a.ts"));
        for other in ["untitled:Untitled-1", "file://", "file:///a%zz", "http://x/y"] {
            assert_eq!(to_path(other), None, "{other}");
        }
    }
}
