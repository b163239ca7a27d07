//! The data sets and the search problem: k = 5, at most 5 % of the rows suppressed, geometric Loss.

use std::path::Path;

use tidegate::engine::label::levels::{
    Costs, DistinctRows, Lattice, LevelsProblem, Objective, Privacy,
};

use crate::common::levels::Data;

/// A folder of `TIDEGATE_DATA`.
pub struct Set {
    pub name: &'static str,
    /// Its columns, in the order of the file.
    pub columns: &'static [&'static str],
    /// The same columns in the order in which experiments with fewer columns take them.
    order: &'static [&'static str],
}

impl Set {
    /// The columns of an experiment with this many, in the order of the file.
    pub fn first(&self, width: usize) -> Vec<&'static str> {
        let taken = &self.order[..width];
        self.columns
            .iter()
            .copied()
            .filter(|column| taken.contains(column))
            .collect()
    }

    /// Its first columns, this many.
    pub fn read(&self, folder: &Path, width: usize) -> Data {
        let names: Vec<String> = self.first(width).into_iter().map(str::to_owned).collect();
        Data::read(&folder.join(self.name), &names, None)
    }

    /// A search over this many columns.
    pub fn task(&self, folder: &Path, width: usize) -> Task {
        Task::of(&self.read(folder, width))
    }
}

const ADULT: Set = Set {
    name: "adult",
    columns: &[
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
        "salary-class",
    ],
    order: &[
        "age",
        "education",
        "marital-status",
        "native-country",
        "race",
        "salary-class",
        "sex",
        "workclass",
        "occupation",
    ],
};

const CUP: Set = Set {
    name: "cup",
    columns: &[
        "ZIP", "AGE", "GENDER", "INCOME", "STATE", "RAMNTALL", "NGIFTALL", "MINRAMNT",
    ],
    order: &[
        "AGE", "GENDER", "INCOME", "MINRAMNT", "NGIFTALL", "STATE", "ZIP", "RAMNTALL",
    ],
};

const FARS: Set = Set {
    name: "fars_int",
    columns: &[
        "iage",
        "irace",
        "ideathmon",
        "ideathday",
        "isex",
        "ihispanic",
        "istatenum",
        "iinjury",
    ],
    order: &[
        "iage",
        "ideathday",
        "ideathmon",
        "ihispanic",
        "iinjury",
        "irace",
        "isex",
        "istatenum",
    ],
};

/// The public data sets of the paper with few columns.
pub const SETS: [&Set; 3] = [&ADULT, &CUP, &FARS];

const QUESTIONS: &[&str] = &[
    "age",
    "familysize",
    "gender",
    "married",
    "race",
    "religion",
    "Q1A",
    "Q2A",
    "Q3A",
    "Q4A",
    "Q5A",
    "Q6A",
    "Q7A",
    "Q8A",
    "Q9A",
    "Q10A",
];

/// Many columns, in place of the paper's SS13ACS, of which five columns are public.
pub const WIDE: Set = Set {
    name: "mach2019_int",
    columns: QUESTIONS,
    order: QUESTIONS,
};

const CENSUS: &[&str] = &["Age", "Sex", "Race", "Marital status", "Education"];

/// Rows of the paper's SS13ACS with other columns.
pub const CENSUS_OF_FIVE: Set = Set {
    name: "ss13acs5",
    columns: CENSUS,
    order: CENSUS,
};

const CARDS: &[&str] = &[
    "LIMIT_BAL",
    "SEX",
    "EDUCATION",
    "MARRIAGE",
    "AGE",
    "PAY_0",
    "PAY_2",
    "PAY_3",
    "PAY_4",
    "PAY_5",
    "PAY_6",
    "BILL_AMT1",
    "BILL_AMT2",
    "BILL_AMT3",
    "BILL_AMT4",
    "BILL_AMT5",
    "BILL_AMT6",
    "PAY_AMT1",
    "PAY_AMT2",
    "PAY_AMT3",
    "PAY_AMT4",
    "PAY_AMT5",
    "PAY_AMT6",
    "default-payment-next-month",
];

/// More states than any search can check.
pub const HUGE: Set = Set {
    name: "creditcard_int",
    columns: CARDS,
    order: CARDS,
};

/// All data sets.
pub const ALL: [&Set; 6] = [&ADULT, &CUP, &FARS, &WIDE, &HUGE, &CENSUS_OF_FIVE];

/// A search that is ready to begin.
pub struct Task {
    pub lattice: Lattice,
    rows: DistinctRows,
    privacy: Privacy,
    pub objective: Objective,
}

/// The smallest class that is published.
pub const K: u64 = 5;

impl Task {
    pub fn of(data: &Data) -> Task {
        let trees = data.trees();
        let (lattice, rows) = (Lattice::of(&trees), data.table(false));
        let objective = Objective::Columns(Costs::loss(&rows, &lattice, &trees, 1_000));
        Task {
            lattice,
            rows,
            privacy: Privacy::k(K),
            objective,
        }
    }

    pub fn problem(&self) -> LevelsProblem<'_> {
        let Task {
            lattice,
            rows,
            privacy,
            objective,
        } = self;
        LevelsProblem {
            rows,
            lattice,
            privacy,
            suppressed: rows.all() / 20,
            objective,
        }
    }
}

/// A share in per cent.
pub fn percent(part: u64, of: u128) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}
