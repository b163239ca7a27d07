//! Rust source as the checks see it: comments and literals blanked, test modules marked, names and
//! signs in order.

/// The source with every comment and the content of every literal replaced by spaces; lines are
/// unchanged.
pub fn code(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => line_end(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => block_end(bytes, at),
            b'"' => string_end(bytes, at),
            b'r' | b'b' | b'c' if !continues_name(bytes, at) => match raw_end(bytes, at) {
                Some(end) => end,
                None => {
                    at += 1;
                    continue;
                }
            },
            b'\'' => char_end(bytes, at),
            _ => {
                at += 1;
                continue;
            }
        };
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8(out).expect("only whole literals and comments are blanked")
}

fn continues_name(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(bytes.len(), |length| at + length)
}

fn block_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut next = at + 1;
    while next < bytes.len() {
        match bytes[next] {
            b'\\' => next += 2,
            b'"' => return next + 1,
            _ => next += 1,
        }
    }
    bytes.len()
}

/// The end of a raw string that begins here (`r"`, `br#"`, `cr##"` …).
fn raw_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut next = at + usize::from(bytes[at] != b'r');
    if bytes.get(next) != Some(&b'r') {
        return None;
    }
    next += 1;
    let hashes = bytes[next..]
        .iter()
        .take_while(|&&byte| byte == b'#')
        .count();
    next += hashes;
    if bytes.get(next) != Some(&b'"') {
        return None;
    }
    let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let length = bytes[next + 1..]
        .windows(close.len())
        .position(|window| window == close);
    Some(length.map_or(bytes.len(), |length| next + 1 + length + close.len()))
}

/// The end of a character literal, or nothing if the quote begins a lifetime.
fn char_end(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at + 1) == Some(&b'\\') {
        let from = at + 3;
        return bytes[from..]
            .iter()
            .position(|&byte| byte == b'\'')
            .map_or(bytes.len(), |length| from + length + 1);
    }
    let rest = std::str::from_utf8(&bytes[at + 1..]).unwrap_or("");
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (Some(one), Some('\'')) => at + 1 + one.len_utf8() + 1,
        _ => at,
    }
}

/// Code with every item under `#[cfg(test)]` blanked.
pub fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = code.to_string();
    while let Some(from) = out.find(MARK) {
        let body = from + out[from..].find(['{', ';']).unwrap_or(out.len() - from - 1);
        let end = if out[body..].starts_with('{') {
            brace_end(&out, body)
        } else {
            body + 1
        };
        let blank: String = out[from..end]
            .chars()
            .map(|c| if c == '\n' { '\n' } else { ' ' })
            .collect();
        out.replace_range(from..end, &blank);
    }
    out
}

/// The position after the brace that closes the one at `open`.
pub fn brace_end(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// A name, `::` or a single other sign, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its text.
    pub text: String,
    /// Its line, counted from 1.
    pub line: usize,
}

/// The tokens of code that [`code`] has processed.
pub fn tokens(code: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut line, mut rest) = (1, code);
    while let Some(first) = rest.chars().next() {
        let named = |c: char| c.is_alphanumeric() || c == '_';
        let length = if named(first) {
            rest.find(|c| !named(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if first == '\n' {
            line += 1;
        } else if !first.is_whitespace() {
            tokens.push(Token {
                text: rest[..length].to_string(),
                line,
            });
        }
        rest = &rest[length..];
    }
    tokens
}

/// Name, first and last line of every function with a body.
pub fn functions(code: &str) -> Vec<(String, usize, usize)> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(name) = tokens.get(at + 1).filter(|_| token.text == "fn") else {
            continue;
        };
        if !name
            .text
            .starts_with(|c: char| c.is_alphabetic() || c == '_')
        {
            continue;
        }
        let (mut depth, mut brackets) = (0, 0);
        for token_of_body in &tokens[at..] {
            match token_of_body.text.as_str() {
                "(" | "[" => brackets += 1,
                ")" | "]" => brackets -= 1,
                "{" => depth += 1,
                "}" => depth -= 1,
                ";" if depth == 0 && brackets == 0 => break,
                _ => continue,
            }
            if depth == 0 && token_of_body.text == "}" {
                found.push((name.text.clone(), token.line, token_of_body.line));
                break;
            }
        }
    }
    found
}
