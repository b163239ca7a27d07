//! The figures that the paper reports (CRA 5), as far as they can be read: the layers of its
//! columns (Table 1), and LR / CRA of classes and outliers (Tables 2 and 3). It does not say which
//! mean or which class such a figure belongs to.

/// The k of each column of its tables.
pub const KS: [u64; 5] = [3, 4, 5, 6, 7];

/// A data set of the paper with some of its columns.
pub struct Setting {
    /// The data set.
    pub name: &'static str,
    /// Rows of a sample.
    pub rows: usize,
    /// Layers per column; every node has two children.
    pub layers: &'static [usize],
    /// Table 2: LR / CRA of classes per k.
    pub classes: [&'static str; 5],
    /// Table 3: LR / CRA of outliers per k.
    pub outliers: [&'static str; 5],
}

/// Samples per setting.
pub const SAMPLES: u64 = 12;

pub const SETTINGS: [Setting; 5] = [
    Setting {
        name: "HCUP",
        rows: 800,
        layers: &[3, 3],
        classes: ["6.86", "6.60", "7.74", "7.77", "11.14"],
        outliers: ["184.05", "1377.80", "9289.89", "26572.58", "39049.12"],
    },
    Setting {
        name: "HCUP",
        rows: 800,
        layers: &[3, 3, 3],
        classes: ["13.34", "28.70", "175.31", "180.60", "463.07"],
        outliers: ["15.75", "26.78", "48.17", "81.68", "2470.13"],
    },
    Setting {
        name: "HCUP",
        rows: 800,
        layers: &[3, 3, 3, 3],
        classes: ["37.46", "48.31", "1715.76", "2700.38", "10186.81"],
        outliers: ["8.92", "13.78", "32.14", "43.41", "551.11"],
    },
    Setting {
        name: "MAP",
        rows: 500,
        layers: &[4, 3],
        classes: ["36.71", "43.76", "83.75", "133.66", "655.95"],
        outliers: ["14.54", "28.86", "970.70", "2008.49", "4274.42"],
    },
    Setting {
        name: "MAP",
        rows: 500,
        layers: &[4, 3, 3],
        classes: ["13.20", "33.90", "50.77", "797.18", "1887.34"],
        outliers: ["5.40", "22.76", "58.47", "159.25", "412.18"],
    },
];
