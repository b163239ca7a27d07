//! The random input of test feeds: numbers that follow from a seed, and a policy for each kind of
//! chain.

/// Numbers that follow from a seed.
pub struct Draw(pub u64);

impl Draw {
    /// One below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A cumulative chain of each kind. The last one may stop.
pub const POLICIES: [&str; 4] = [
    "k = 3",
    "k = 3\nset_aside = 0.3",
    "k = 2\nguarantee = \"bcf\"",
    "k = 3\ndiversity = { distinct_l = 2 }",
];

/// Disjoint releases in two tables.
pub const TWO_TABLES: &str = "k = 2\noutput = \"two-table\"";

/// Disjoint releases, with labels of their own in every class; some classes fail, and wait again.
pub const CARVED: &str = "k = 3\nsearch = \"arx-lr\"\nmin_solutions = 30\nmax_ratio = 20";

/// The same in groups of neighbours, by median cuts; classes without enough sets of rows wait
/// again.
pub const GROUPED: &str = "k = 3\nsearch = \"mondrian\"\nmin_solutions = 30\nmax_ratio = 20";

/// The same, divided at random: other draws make other releases.
pub const HALVED: &str = "k = 3\nsearch = \"halves\"\nmin_solutions = 30";

/// All people so far, under labels that they keep: other draws make other releases.
pub const CROWDS: &str = "k = 3\nsearch = \"halves\"\nmin_solutions = 1\npublish_every = 2";

/// The same, with sums of a measure in each release.
pub const MEASURED: &str = "k = 3\nsearch = \"halves\"\nmin_solutions = 1\npublish_every = 2\ndominance = { n = 1, share = 0.6 }\np_rule = 0.1";

/// One level for each column: all people so far, and some of the first rows set aside.
pub const LEVELS: &str = "k = 3\nsearch = \"levels\"\nset_aside = 0.2";

/// The same in disjoint releases; some rows of each wait.
pub const SUPPRESSED: &str = "k = 3\nsearch = \"levels\"\nsuppression = 0.2";

/// Whether releases depend on random draws.
pub fn drawn(policy: &str) -> bool {
    [HALVED, CROWDS].contains(&policy)
}

/// The lines of a policy that needs one list of labels for all rows and does not say so.
pub fn one_list(policy: &str) -> &'static str {
    if policy.contains("search") {
        ""
    } else {
        "search = \"top-down\"\n"
    }
}

/// Whether releases are disjoint.
pub fn disjoint(policy: &str) -> bool {
    [TWO_TABLES, CARVED, GROUPED, HALVED, SUPPRESSED].contains(&policy)
}
