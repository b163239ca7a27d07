//! The columns of Adult that the experiments of BCF 6 take as quasi-identifiers, and as sensitive.

/// Names, quasi columns, sensitive columns.
pub const SETS: [(&str, &[&str], &[&str]); 2] = [
    (
        "Sen1",
        &[
            "Education",
            "Marital-status",
            "Occupation",
            "Race",
            "Relationship",
            "Sex",
            "Work-class",
        ],
        &["Native-country"],
    ),
    (
        "Sen3",
        &[
            "Marital-status",
            "Race",
            "Relationship",
            "Sex",
            "Work-class",
        ],
        &["Native-country", "Education", "Occupation"],
    ),
];
