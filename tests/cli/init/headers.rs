//! A first line that is a row: `init` refuses it, says what to do, and shows no cell of it.

use super::Place;

/// The error names the line and the remedy, and none of the words of the file.
fn check_refused(sample: &str, words: &str) {
    let error = Place::new().refused("people.csv", sample.as_bytes());
    let text = error["text"].as_str().expect("a text");
    assert!(
        text.contains(words) && text.contains("write a line with the names of its columns"),
        "{error}"
    );
    assert_eq!(error["line"], 1);
    for cell in sample.split([',', ';', '\n']).filter(|cell| cell.len() > 4) {
        assert!(
            !error.to_string().contains(cell),
            "{cell} is shown: {error}"
        );
    }
}

#[test]
fn rows_are_never_taken_for_names() {
    for (sample, words) in [
        // Numbers, dates, addresses, markers of missing values.
        (
            "Miller,39,Surgery\nJones,50,Medicine\n",
            "column 2 of line 1 is a number",
        ),
        (
            "Miller;1970-03-12;x\nJones;1981-01-02;y\n",
            "column 2 of line 1 is a number, a date",
        ),
        (
            "Miller,12.03.1970 10:00\nJones,13.04.1981 11:30\n",
            "column 2 of line 1 is a number, a date",
        ),
        (
            "Miller,1970-03-12T10:00:00\nJones,1981-01-02T10:00:00\n",
            "column 2 of line 1 is a date",
        ),
        ("Miller,-1.5e3\nJones,2\n", "column 2 of line 1 is a number"),
        (
            "anna@example.org,Surgery\nberta@example.org,Surgery\n",
            "column 1 of line 1 is an e-mail address",
        ),
        (
            "Miller,N/A\nJones,Surgery\n",
            "column 2 of line 1 stands for",
        ),
        // One row alone: there is nothing to compare it with.
        ("Miller,39,Surgery\n", "column 2 of line 1 is a number"),
        // No name, or the same name twice.
        (
            "Miller,,Surgery\nJones,wednesday,Medicine\n",
            "column 2 of line 1 has no name",
        ),
        (
            "Miller,Surgery,Surgery\nJones,Medicine,Surgery\n",
            "columns 2 and 3 have the same name",
        ),
        // Values of the same column.
        (
            "SECRET001,Miller\nSECRET002,Jones\n",
            "column 1 of line 1 looks like the values",
        ),
        (
            "Female;Surgery\nMale;Surgery\nFemale;Medicine\n",
            "has a name that occurs as a value",
        ),
        (
            "Female\nMale\nFemale\n",
            "has a name that occurs as a value",
        ),
        (
            "Miller,Anna,Female\nJones,Bert,Male\nSmith,Carl,Female\n",
            "column 3 of line 1 has a name that occurs",
        ),
        (
            "Miller,Anna\nJones,Berta\nSmith,Carla\n",
            "line 1 is written like the rows below",
        ),
        (
            "Miller\nJones\nSmith\n",
            "line 1 is written like the rows below",
        ),
        // Line 1 again.
        (
            "patient,ward\np,Surgery\npatient,ward\nq,Medicine\n",
            "remove a second line of names",
        ),
        // A byte order mark hides nothing.
        (
            "\u{feff}39,Surgery\n50,Medicine\n",
            "column 1 of line 1 is a number",
        ),
    ] {
        check_refused(sample, words);
    }
}

/// Words in a language that the program does not know, over values that repeat or that are no
/// words.
#[test]
fn names_in_other_languages_are_names() {
    let place = Place::new();
    let rows: Vec<String> = (0..40)
        .map(|row| {
            format!(
                "{},{}",
                ["Rot", "Blau"][row % 2],
                ["Rund", "Eckig", "Lang"][row % 3]
            )
        })
        .collect();
    std::fs::write(
        place.path("sample.csv"),
        format!("Farbe,Form\n{}\n", rows.join("\n")),
    )
    .expect("the sample");
    assert_eq!(
        super::role(&place.init(Some("sample.csv")), "Farbe").0,
        "quasi"
    );
}

#[test]
fn names_that_are_a_little_like_values_are_names() {
    for header in [
        // Row numbers, a separator too many, a value that equals the name of its column.
        ",age,sex,Smoker",
        "zip3,age,sex,",
        "q1,age,T2DM,Smoker",
        "\u{feff}No,age,1st visit,Smoker",
    ] {
        let place = Place::new();
        let last = if header.ends_with(',') {
            ["", ""]
        } else {
            ["Smoker", "never"]
        };
        let rows: Vec<String> = (0..40)
            .map(|row| format!("{row},{},{},{}", 20 + row, row % 2, last[row % 2]))
            .collect();
        let sample = format!("{header}\n{}\n", rows.join("\n"));
        std::fs::write(place.path("sample.csv"), sample).expect("the sample");
        let report = place.init(Some("sample.csv"));
        assert_eq!(super::role(&report, "age").0, "quasi", "{header}");
    }
}
