//! The figures of the paper: its tables, and for its figures the results that its authors publish
//! with their benchmark. Its machine had four cores of 3.1 GHz.

/// Table 1: a simple list, a list that is an antichain, a prefix tree, one that knows ranks, in
/// seconds. The last data set has ten columns.
pub const TABLE_1: [(&str, [f64; 4]); 4] = [
    ("Adult", [0.247, 0.230, 0.061, 0.055]),
    ("Cup", [0.658, 0.525, 0.232, 0.218]),
    ("Fars", [0.364, 0.240, 0.074, 0.071]),
    ("SS13ACS", [21.730, 15.032, 1.861, 1.797]),
];

/// The use of a property: inserts, hits in per cent of queries, the largest antichain in per cent
/// of inserts.
pub type Used = (u64, f64, f64);

/// Table 2: states that are checked, and the use of both properties, that of insufficient quality
/// first.
pub const TABLE_2: [(u64, [Used; 2]); 3] = [
    (1_180, [(1_062, 74.69, 73.54), (887, 15.37, 93.01)]),
    (1_524, [(1_435, 80.93, 76.31), (1_172, 24.75, 96.84)]),
    (1_342, [(1_161, 75.44, 61.84), (752, 10.81, 88.43)]),
];

/// The least number of columns of the tables that follow.
pub const FEWEST: usize = 3;

/// Table 3, from four columns on: seconds without and with prediction.
pub const TABLE_3: [(f64, f64); 12] = [
    (0.021, 0.019),
    (0.035, 0.033),
    (0.071, 0.067),
    (0.229, 0.223),
    (0.545, 0.533),
    (4.47, 4.13),
    (24.02, 21.69),
    (70.19, 61.24),
    (215.55, 185.51),
    (1_032.19, 858.41),
    (2_811.32, 2_248.37),
    (8_259.83, 6_843.33),
];

/// Table 4, from three columns on: all states, those that are checked, and the use of the property
/// of insufficient quality.
pub const TABLE_4: [(u64, u64, Used); 13] = [
    (96, 12, (4, 17.39, 75.00)),
    (480, 50, (18, 20.87, 55.56)),
    (1_440, 89, (34, 22.84, 44.12)),
    (4_320, 177, (61, 25.13, 36.07)),
    (12_960, 449, (157, 28.06, 31.85)),
    (38_880, 820, (284, 29.99, 24.65)),
    (116_640, 3_872, (1_187, 34.26, 22.16)),
    (466_560, 15_858, (4_486, 36.80, 22.78)),
    (1_399_680, 32_507, (10_119, 37.70, 20.43)),
    (4_199_040, 76_679, (25_211, 38.36, 18.84)),
    (12_597_120, 265_762, (85_303, 38.74, 19.59)),
    (37_791_360, 626_383, (199_747, 39.15, 20.75)),
    (113_374_080, 1_634_751, (514_863, 39.31, 20.17)),
];

/// Table 5: the data set, and the least, greatest and mean improvement of quality in per cent.
pub const TABLE_5: [(&str, [f64; 3]); 6] = [
    ("Adult", [0.00, 7.69, 1.92]),
    ("Cup", [0.04, 2.38, 1.42]),
    ("Fars", [0.00, 6.70, 1.36]),
    ("SS13ACS", [0.00, 6.04, 1.74]),
    ("Atus", [0.79, 5.46, 1.99]),
    ("Ihis", [0.00, 12.44, 4.58]),
];

/// Figure 5, from three columns on: megabytes of Flash with the whole lattice in memory, and with
/// antichains.
pub const FIGURE_5: [(f64, f64); 10] = [
    (2.8, 2.8),
    (3.2, 3.1),
    (4.4, 3.9),
    (4.7, 3.9),
    (7.2, 4.7),
    (12.6, 5.3),
    (30.9, 8.4),
    (110.4, 17.5),
    (335.5, 35.1),
    (1_011.3, 83.1),
];

/// Figure 6, from three columns on: seconds of Flash with antichains, and of best-first search.
pub const FIGURE_6: [(f64, f64); 13] = [
    (0.007, 0.005),
    (0.018, 0.019),
    (0.029, 0.033),
    (0.058, 0.067),
    (0.163, 0.223),
    (0.381, 0.533),
    (4.418, 4.133),
    (20.122, 21.691),
    (53.734, 61.241),
    (151.291, 185.517),
    (525.174, 858.414),
    (1_540.019, 2_248.379),
    (f64::NAN, 6_843.336),
];

/// Figure 7, subfigure a, from three columns on: states that are checked until the optimum is
/// found, and until the search ends. The data sets are those of table 5.
pub const FIGURE_7: [&[(u64, u64)]; 4] = [
    &[
        (2, 10),
        (13, 51),
        (21, 105),
        (35, 183),
        (35, 299),
        (56, 1_062),
        (81, 5_319),
    ],
    &[
        (2, 7),
        (14, 23),
        (12, 88),
        (115, 284),
        (539, 1_736),
        (3_424, 6_911),
    ],
    &[
        (5, 10),
        (10, 42),
        (12, 82),
        (14, 262),
        (23, 509),
        (56, 3_769),
    ],
    &[
        (2, 12),
        (12, 50),
        (14, 89),
        (16, 177),
        (25, 449),
        (28, 820),
        (63, 3_872),
        (451, 15_858),
        (99, 32_507),
        (120, 76_679),
        (119, 265_762),
        (10_666, 626_383),
        (194, 1_634_751),
    ],
];
