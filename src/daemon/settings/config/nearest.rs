//! Finds the known word that was most likely intended. Ignores case and the kind of dash.

/// The nearest of the known words, if any is near.
pub fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let plain = |word: &str| word.to_lowercase().replace(['-', ' ', '.'], "_");
    let word = plain(word);
    let likeness = |known: &str| {
        let known = plain(known);
        let begins = word.len() >= 3
            && (known.starts_with(&word) || word.starts_with(&known) && known.len() >= 3);
        strsim::normalized_damerau_levenshtein(&word, &known).max(if begins { 0.75 } else { 0.0 })
    };
    let best = known
        .map(|known| (likeness(known), known))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(likeness, _)| *likeness >= 0.5)
        .map(|(_, known)| known)
}

/// `a`, `b` and `c`.
pub(super) fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "none".to_owned(),
    }
}
