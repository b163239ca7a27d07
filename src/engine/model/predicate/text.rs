//! Parses conditions on rows: `age between 20 and 39 and ward in ('Cardiology', 'Oncology')`.

/// A value as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// Text, a number, a date, `true` or `false`.
    Text(String),
    /// `null` without quotes.
    Null,
}

/// The condition on a column's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnCondition {
    /// The value is one of these.
    OneOf(Vec<Literal>),
    /// The value is between these two, both included.
    Between(Literal, Literal),
}

/// A condition on a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The column's name.
    pub column: String,
    /// The condition.
    pub wanted: ColumnCondition,
}

/// Text that is no predicate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("character {at}: {wanted} is expected here")]
pub struct PredicateError {
    /// The position, counted from 1.
    pub at: usize,
    /// What was expected.
    pub wanted: &'static str,
}

/// Parses a predicate; an empty one has no conditions, and every row satisfies it.
///
/// # Errors
/// The text is no predicate.
pub fn parse(text: &str) -> Result<Vec<Condition>, PredicateError> {
    let mut reader = Reader {
        tokens: tokens(text)?,
        at: 0,
    };
    let mut conditions = Vec::new();
    while conditions.is_empty() || reader.keyword("and") {
        if conditions.is_empty() && reader.peek() == &Token::End {
            return Ok(conditions);
        }
        conditions.push(reader.condition()?);
    }
    match reader.peek() {
        Token::End => {
            assert_eq!(reader.at + 1, reader.tokens.len(), "the end is read last");
            Ok(conditions)
        }
        _ => Err(reader.misread("`and` or the end")),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// Without quotes.
    Word(String),
    /// In '…'.
    Text(String),
    /// In "…".
    Name(String),
    Sign(char),
    End,
}

/// The tokens of a text, each with its position.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, PredicateError> {
    let (mut tokens, mut left) = (Vec::new(), text.chars().enumerate().peekable());
    while let Some((at, char)) = left.next() {
        let at = at + 1;
        let token = match char {
            _ if char.is_whitespace() => continue,
            '=' | '(' | ')' | ',' => Token::Sign(char),
            '\'' | '"' => {
                let mut inside = String::new();
                loop {
                    match left.next() {
                        // A quote inside quotes is doubled.
                        Some((_, next)) if next == char => {
                            match left.next_if(|(_, next)| *next == char) {
                                Some(_) => inside.push(char),
                                None => break,
                            }
                        }
                        Some((_, next)) => inside.push(next),
                        None => {
                            return Err(PredicateError {
                                at,
                                wanted: "a second quote for this one",
                            });
                        }
                    }
                }
                if char == '"' {
                    Token::Name(inside)
                } else {
                    Token::Text(inside)
                }
            }
            _ => {
                let mut word = String::from(char);
                let more =
                    |(_, next): &(usize, char)| !next.is_whitespace() && !"=(),'\"".contains(*next);
                while let Some((_, next)) = left.next_if(more) {
                    word.push(next);
                }
                Token::Word(word)
            }
        };
        tokens.push((at, token));
    }
    tokens.push((text.chars().count() + 1, Token::End));
    assert!(
        tokens.is_sorted_by_key(|token| token.0),
        "tokens stand in their order"
    );
    Ok(tokens)
}

struct Reader {
    tokens: Vec<(usize, Token)>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].1
    }

    fn misread(&self, wanted: &'static str) -> PredicateError {
        PredicateError {
            at: self.tokens[self.at].0,
            wanted,
        }
    }

    /// Consumes a keyword, in any case, if it is next.
    fn keyword(&mut self, keyword: &str) -> bool {
        let is = matches!(self.peek(), Token::Word(word) if word.eq_ignore_ascii_case(keyword));
        self.at += usize::from(is);
        is
    }

    /// Consumes a sign, if it is next.
    fn sign(&mut self, sign: char) -> bool {
        let is = *self.peek() == Token::Sign(sign);
        self.at += usize::from(is);
        is
    }

    fn condition(&mut self) -> Result<Condition, PredicateError> {
        let column = match self.peek() {
            Token::Word(name) | Token::Name(name) => name.clone(),
            _ => return Err(self.misread("the name of a column")),
        };
        self.at += 1;
        let wanted = if self.sign('=') {
            ColumnCondition::OneOf(vec![self.literal()?])
        } else if self.keyword("in") {
            ColumnCondition::OneOf(self.list()?)
        } else if self.keyword("between") {
            let first = self.literal()?;
            if !self.keyword("and") {
                return Err(self.misread("`and`, and the other end"));
            }
            ColumnCondition::Between(first, self.literal()?)
        } else {
            return Err(self.misread("`=`, `in` or `between`"));
        };
        Ok(Condition { column, wanted })
    }

    fn list(&mut self) -> Result<Vec<Literal>, PredicateError> {
        if !self.sign('(') {
            return Err(self.misread("`(`"));
        }
        let mut values = vec![self.literal()?];
        while self.sign(',') {
            values.push(self.literal()?);
        }
        if self.sign(')') {
            Ok(values)
        } else {
            Err(self.misread("`,` or `)`"))
        }
    }

    fn literal(&mut self) -> Result<Literal, PredicateError> {
        let literal = match self.peek() {
            Token::Word(word) if word.eq_ignore_ascii_case("null") => Literal::Null,
            Token::Word(text) | Token::Text(text) => Literal::Text(text.clone()),
            _ => return Err(self.misread("a value, with '…' around it where it is text")),
        };
        self.at += 1;
        Ok(literal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Literal {
        Literal::Text(text.into())
    }

    #[test]
    fn conditions_are_read_in_their_order() {
        let read = parse(
            "age between 20 AND 39 and ward in ('A', 'O''Neil') and \"in = x\" = null and w='*'",
        )
        .unwrap();
        let conditions = [
            ("age", ColumnCondition::Between(text("20"), text("39"))),
            (
                "ward",
                ColumnCondition::OneOf(vec![text("A"), text("O'Neil")]),
            ),
            ("in = x", ColumnCondition::OneOf(vec![Literal::Null])),
            ("w", ColumnCondition::OneOf(vec![text("*")])),
        ];
        let conditions = conditions.map(|(column, wanted)| Condition {
            column: column.into(),
            wanted,
        });
        assert_eq!(read, conditions);
        assert_eq!(parse("  ").unwrap(), []);
        assert_eq!(
            parse("a='null'").unwrap()[0].wanted,
            ColumnCondition::OneOf(vec![text("null")])
        );
    }

    #[test]
    fn errors_of_predicates_name_their_position() {
        for (predicate, at, wanted) in [
            ("age", 4, "`=`, `in` or `between`"),
            ("age = ", 7, "a value, with '…' around it where it is text"),
            ("age = 'é", 7, "a second quote for this one"),
            ("é between 1 or 2", 13, "`and`, and the other end"),
            ("a in 1", 6, "`(`"),
            ("a in (1 2)", 9, "`,` or `)`"),
            ("a = 1 or b = 2", 7, "`and` or the end"),
            ("a = 1 and", 10, "the name of a column"),
            ("= 1", 1, "the name of a column"),
        ] {
            assert_eq!(
                parse(predicate),
                Err(PredicateError { at, wanted }),
                "{predicate}"
            );
        }
    }
}
