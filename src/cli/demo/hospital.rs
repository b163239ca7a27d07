//! A fictitious hospital: who is admitted on a day, with what. Respiratory diagnoses follow the
//! seasons. The same seed gives the same people.

use std::fmt::Write as _;

use crate::engine::arithmetic::SmallDraws;

const ZIPS: [&str; 8] = [
    "10115", "10117", "10119", "10178", "10179", "10243", "10245", "10247",
];
/// A ward, the ages of its patients, and its diagnoses.
const WARDS: [(&str, u64, u64, &[&str]); 9] = [
    ("cardiology", 45, 90, &["I10", "I20", "I21", "I48", "I50"]),
    (
        "gastroenterology",
        20,
        85,
        &["K29", "K35", "K57", "K80", "C18"],
    ),
    ("oncology", 35, 85, &["C18", "C34", "C50", "C61", "C83"]),
    ("general surgery", 15, 85, &["K35", "K40", "K80", "S06"]),
    ("orthopaedics", 10, 90, &["M16", "M17", "S52", "S72", "S82"]),
    ("paediatrics", 0, 17, &["J18", "J20", "J45", "A09", "S52"]),
    ("obstetrics", 18, 44, &["O42", "O70", "O80", "O82"]),
    ("neurology", 30, 90, &["G20", "G35", "G40", "I63"]),
    ("psychiatry", 16, 80, &["F10", "F20", "F32", "F33", "F41"]),
];
const WINTER: [&str; 4] = ["J10", "J18", "J20", "J44"];

/// Random numbers; the same for the same seed.
pub(super) struct DemoDraws(pub SmallDraws);

impl DemoDraws {
    /// A number from `from` to `to`, both included.
    pub(super) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.0.bits() % (to - from + 1)
    }

    fn of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.between(0, some.len() as u64 - 1) as usize]
    }
}

/// An admission.
#[derive(Debug, Clone)]
pub(super) struct Admission {
    patient: String,
    age: u64,
    sex: &'static str,
    ward: &'static str,
    zip: &'static str,
    icd10: &'static str,
    days: u64,
}

impl Admission {
    /// The patient of this number, on a day of the year.
    pub(super) fn drawn(dice: &mut DemoDraws, number: u64, day: u64) -> Admission {
        let (ward, youngest, oldest, diagnoses) = dice.of(&WARDS);
        // The mean of two draws: few patients are as young or as old as a ward admits.
        let age = (dice.between(youngest, oldest) + dice.between(youngest, oldest)) / 2;
        let sex = if ward == "obstetrics" {
            "F"
        } else {
            dice.of(&["F", "M"])
        };
        let winter = day % 12 < 5 && matches!(ward, "paediatrics" | "cardiology" | "oncology");
        let icd10 = if winter && dice.between(0, 2) == 0 {
            dice.of(&WINTER)
        } else {
            dice.of(diagnoses)
        };
        let days = 1 + dice.between(0, 6) * dice.between(0, 3);
        Admission {
            patient: format!("P{number:06}"),
            age,
            sex,
            ward,
            zip: dice.of(&ZIPS),
            icd10,
            days,
        }
    }

    /// A patient with an age between these, on any ward.
    pub(super) fn aged(
        dice: &mut DemoDraws,
        number: u64,
        day: u64,
        from: u64,
        to: u64,
    ) -> Admission {
        let (ward, ..) = dice.of(&WARDS);
        Admission {
            age: dice.between(from, to),
            ward,
            sex: dice.of(&["F", "M"]),
            ..Admission::drawn(dice, number, day)
        }
    }

    /// The identifier of the patient.
    pub(super) fn patient(&self) -> &str {
        &self.patient
    }

    /// As a message.
    pub(super) fn message(&self) -> String {
        let Admission {
            patient,
            age,
            sex,
            ward,
            zip,
            icd10,
            days,
        } = self;
        format!(
            r#"{{"patient":"{patient}","age":{age},"sex":"{sex}","ward":"{ward}","zip":"{zip}","diagnosis":{{"icd10":"{icd10}"}},"stay":{{"days":{days}}}}}"#
        )
    }

    /// As a row under [`HEADER`].
    pub(super) fn row(&self, to: &mut String) {
        let Admission {
            patient,
            age,
            sex,
            ward,
            zip,
            icd10,
            days,
        } = self;
        let _ = writeln!(to, "{patient},{age},{sex},{ward},{zip},{icd10},{days}");
    }
}

/// The header of rows; in a table, columns with a path are named by its steps.
pub(super) const HEADER: &str = "patient,age,sex,ward,zip,diagnosis.icd10,stay.days\n";
