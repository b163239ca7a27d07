//! Text for a terminal, broken at words, whatever it says.

/// The width in columns.
const WIDTH: usize = 100;

/// A paragraph that begins with `head` and continues below its end.
pub(crate) fn wrapped(text: &mut String, head: &str, paragraph: &str) {
    let indent = head.chars().count();
    let mut width = indent;
    text.push_str(head);
    for (at, word) in paragraph.split_whitespace().enumerate() {
        let length = word.chars().count();
        if at > 0 && width + 1 + length > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            width = indent;
        } else if at > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text.push('\n');
}
