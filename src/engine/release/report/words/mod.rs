//! The texts of the pages, one file per language. If a language lacks a text, the program does not
//! compile; `{name}` in a text is a placeholder that the page fills.

mod de;
mod en;

use maud::{Markup, PreEscaped, Render};

use crate::check::Check;
use crate::figure::Figure;
use crate::language::Language;

/// From this value on a figure is written with a power of ten.
const LARGE: f64 = 1e9;

/// The words about a check, in a language.
pub(super) struct CheckWords {
    /// Its title.
    pub title: &'static str,
    /// Its question.
    pub meaning: &'static str,
}

/// A term and what it means.
pub(super) struct Term {
    /// The term.
    pub term: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn check(title: &'static str, meaning: &'static str) -> CheckWords {
    CheckWords { title, meaning }
}

const fn term(term: &'static str, meaning: &'static str) -> Term {
    Term { term, meaning }
}

macro_rules! words {
    ($($name:ident),* $(,)?) => {
        /// The texts in a language.
        pub(super) struct Words {
            /// The language.
            pub language: Language,
            /// The separators between groups of three digits, and before a fraction.
            pub separators: [&'static str; 2],
            /// Singular and plural of "row".
            pub row: [&'static str; 2],
            /// Singular and plural of "value".
            pub value: [&'static str; 2],
            /// Singular and plural of "label".
            pub label: [&'static str; 2],
            /// Singular and plural of "published label".
            pub published_label: [&'static str; 2],
            /// Singular and plural of "more label".
            pub more_label: [&'static str; 2],
            /// Singular and plural of "other person".
            pub other: [&'static str; 2],
            /// The words about a check.
            pub checks: fn(Check) -> CheckWords,
            /// The words about a check if classes keep their labels, where they differ.
            pub checks_of_lasting_labels: fn(Check) -> Option<CheckWords>,
            /// The terms of the page.
            pub terms: &'static [Term],
            $(pub $name: &'static str,)*
        }

        #[cfg(test)]
        impl Words {
            /// The names of the texts, and the texts.
            fn texts(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($name), self.$name)),*]
            }
        }
    };
}

words! {
    // Head and verdict.
    title, due, purpose, contact, verdict, approved, unchecked, judged, not_judged, without_detail,
    // Figures.
    in_short, rows, one_per_person, classes, people_of_a_class, people_of_two_tables, smallest_class, at_least_k,
    detail_lost, detail_hidden, loss_of, refinement,
    // Comparison with earlier releases.
    since, first_release, release_column, figure, this_release, trends, trends_text, trend,
    // Promise.
    promise, promise_lasting, promise_bcf_warning, promise_bcf, promise_two_warning, promise_two,
    promise_disjoint, promise_m, promise_masked, masking_bound, not_promised, rule_parts, rule_newest, rule_never, signed, unsigned,
    // Columns.
    columns_two, columns_two_text, columns, columns_text, columns_lasting_text, columns_own_text, loss_scale, column, loss, labels,
    values_before, no_detail_rows, value_itself, share_of_domain_first, share_of_domain, share_of_domain_rest, no_detail,
    sensitive_beside, sensitive_other_table, and, labels_of_columns, labels_of_columns_text, drawings, drawings_key_divided,
    drawings_key_published, drawings_key_several, drawings_key_text, drawing, divided_further, several_labels, label_caption_most,
    label_column, values_in_it, share, share_drawn, without_rows, on_screen,
    // Measures.
    measures, measures_text, measures_unrelated, measures_of_new, measure, new_labels, sums_shown, sums_dominated, sums_of_few, sums_of_none, labels_dominated,
    labels_of_few, and_more, measures_interval,
    // How to read and count.
    reading, reading_rows, reading_overlap, reading_spread, reading_exact, reading_masked,
    // Checks.
    checks_heading, checks_text, no_check, check_column, outcome, found, limit, margin, not_made, passed_private, passed, reported,
    beyond, at_least, at_most, less_than,
    // Sizes and risk.
    sizes, size_column, size_range, risk, risk_two, risk_none, risk_text, risk_counted, risk_counted_lasting, prosecutor_highest,
    prosecutor_highest_text, prosecutor_average, prosecutor_average_text, rows_at_risk, rows_at_risk_text, journalist,
    journalist_text, marketer, marketer_text, uniques, uniques_text,
    // Policy, files, glossary.
    policy, files, files_text, file, files_kept, glossary,
    // The page over all releases.
    index_title, index_text, index_chain, index_report, index_newest, index_older, index_none, time,
    // The operator's copy.
    copy_warning, copy_approvals, copy_no_approval, copy_who, copy_when, copy_why, copy_key, copy_missing, copy_waiting,
    copy_waiting_rows, copy_oldest, copy_verdict, copy_no_reasons, copy_signing_key, copy_signatures,
    copy_signature_place, copy_digest,
}

impl Words {
    /// The texts in a language.
    pub(super) fn of(language: Language) -> &'static Words {
        match language {
            Language::English => &en::WORDS,
            Language::German => &de::WORDS,
        }
    }

    /// The words about a check; `lasting`: in a chain whose classes keep their labels.
    pub(super) fn check(&self, check: Check, lasting: bool) -> CheckWords {
        let of_lasting = if lasting {
            (self.checks_of_lasting_labels)(check)
        } else {
            None
        };
        of_lasting.unwrap_or_else(|| (self.checks)(check))
    }

    /// A count: `12,345`.
    pub(super) fn count(&self, count: u64) -> String {
        super::html::grouped(count, self.separators[0])
    }

    /// A count with its noun.
    pub(super) fn many(&self, count: u64, [one, several]: [&str; 2]) -> String {
        format!(
            "{}\u{a0}{}",
            self.count(count),
            if count == 1 { one } else { several }
        )
    }

    /// A number with this many decimals.
    pub(super) fn decimal(&self, number: f64, digits: usize) -> String {
        format!("{number:.digits$}").replace('.', self.separators[1])
    }

    /// A part of a whole: `12.3 %`, without a line break, and 0 or 100 only if it is exact.
    pub(super) fn share(&self, part: u64, whole: u64) -> String {
        let percent = super::html::percent(part, whole);
        let number = match part {
            0 => "0".to_owned(),
            _ if whole == 0 => "0".to_owned(),
            _ if part == whole => "100".to_owned(),
            _ if percent < 0.1 => format!("< {}", self.decimal(0.1, 1)),
            _ if percent > 99.9 => format!("> {}", self.decimal(99.9, 1)),
            _ => self.decimal(percent, 1),
        };
        format!("{number}\u{a0}%")
    }

    /// Counts in full, other figures with at most four decimals, and very large ones with a power
    /// of ten.
    pub(super) fn figure(&self, figure: Figure) -> String {
        match figure {
            Figure::Whole(count) => self.count(count),
            Figure::Real(number) if number.get() >= LARGE => {
                format!("{:.1e}", number.get()).replace('.', self.separators[1])
            }
            Figure::Real(number) => {
                let text = format!("{:.4}", number.get());
                text.trim_end_matches('0')
                    .trim_end_matches('.')
                    .replace('.', self.separators[1])
            }
        }
    }
}

/// A text of this program, which may contain tags, with its placeholders filled. Inserted content
/// is escaped, unless it is HTML.
pub(super) fn fill(text: &'static str, places: &[(&str, &dyn Render)]) -> Markup {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').expect("a place ends");
        let place = places.iter().find(|(other, _)| *other == name);
        let (_, value) = place.unwrap_or_else(|| panic!("the page fills `{name}`"));
        filled.push_str(before);
        value.render_to(&mut filled);
        rest = after;
    }
    PreEscaped(filled + rest)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{')
            .skip(1)
            .filter_map(|rest| rest.split('}').next())
            .collect()
    }

    /// The tags of a text, in any order: a language may have another word order.
    fn tags(text: &str) -> BTreeSet<&str> {
        text.split('<')
            .skip(1)
            .filter_map(|rest| rest.split('>').next())
            .collect()
    }

    #[test]
    fn languages_have_the_same_places_and_checks() {
        let english = Words::of(Language::English);
        for language in Language::ALL {
            let words = Words::of(language);
            assert_eq!(words.language, language);
            for ((name, text), (_, meant)) in words.texts().into_iter().zip(english.texts()) {
                assert!(!text.is_empty(), "{name}");
                assert_eq!(places(text), places(meant), "{name}");
                assert_eq!(tags(text), tags(meant), "{name}");
            }
            for check in Check::ALL {
                let is_other = |words: &Words| (words.checks_of_lasting_labels)(check).is_some();
                assert_eq!(is_other(words), is_other(english), "{check}");
            }
            assert_eq!(words.terms.len(), english.terms.len());
        }
    }

    #[test]
    fn numbers_are_as_people_read_them() {
        let [english, german] = Language::ALL.map(Words::of);
        let counts = [0, 12, 123, 1_234, 1_234_567].map(|count| english.count(count));
        assert_eq!(counts, ["0", "12", "123", "1,234", "1,234,567"]);
        assert_eq!(
            (german.count(1_234_567), german.decimal(0.25, 2)),
            ("1.234.567".to_owned(), "0,25".to_owned())
        );
        assert_eq!(german.share(1, 3), "33,3\u{a0}%");
        let shares = [
            (0, 5),
            (5, 5),
            (0, 0),
            (1, 3),
            (1, 1_000_000),
            (999_999, 1_000_000),
        ];
        let shares = shares.map(|(part, whole)| english.share(part, whole));
        assert_eq!(
            shares,
            [
                "0\u{a0}%",
                "100\u{a0}%",
                "0\u{a0}%",
                "33.3\u{a0}%",
                "< 0.1\u{a0}%",
                "> 99.9\u{a0}%"
            ]
        );
        let real = |number| Figure::real(number).expect("finite");
        assert_eq!(
            [english.figure(real(4.9e16)), english.figure(real(0.5))],
            ["4.9e16", "0.5"]
        );
        let filled = fill("<b>{a}</b> of {b}", &[("b", &2), ("a", &"<{b}>")]);
        assert_eq!(filled.into_string(), "<b>&lt;{b}&gt;</b> of 2");
    }
}
