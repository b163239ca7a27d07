//! Rows of new people for benches of chains: skewed leaves of any columns and one sensitive column,
//! the same on every machine; and the policy of such a chain.

use std::path::Path;

use tidegate::daemon::config::FeedConfig;
use tidegate::engine::histogram::{CodedRows, Person, SensitiveValues};
use tidegate::engine::model::{Columns, Value};
use tidegate::engine::policy::Policy;

/// Sensitive values.
const VALUES: u64 = 15;

/// A policy with these lines, for a chain with these columns. A policy has settings for each quasi
/// column by its place; the taxonomies in its feed file are not used.
pub fn policy(lines: &str, columns: &Columns) -> Policy {
    let mut text = format!("[feed]\nname = \"bench\"\n[policy]\n{lines}");
    for at in 0..columns.trees().len() {
        text += &format!(
            "[[column]]\nname = \"q{at}\"\nrole = \"quasi\"\ntaxonomy = {{ flat = [\"x\", \"y\"] }}\n"
        );
    }
    text += "[[column]]\nname = \"s\"\nrole = \"sensitive\"\n";
    FeedConfig::parse(&text, Path::new("bench.toml"))
        .expect("a feed file")
        .policy
}

/// A generator of numbers from a fixed seed.
pub struct Draw(pub u64);

impl Draw {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Rows of new people; small leaves are more frequent.
pub fn arrivals(columns: &Columns, rows: usize, first: usize, draw: &mut Draw) -> CodedRows {
    let leaves = columns.trees().into_iter().map(|tree| {
        let leaves = tree.leaves() as u64;
        (0..rows)
            .map(|_| draw.below(leaves).min(draw.below(leaves)) as u32)
            .collect()
    });
    let leaves: Vec<Vec<u32>> = leaves.collect();
    let tuple =
        |value: u64| -> Box<[Value]> { Box::new([Value::Text(format!("s{value:02}").into())]) };
    let (values, _) = SensitiveValues::from_distinct(1, (0..VALUES).map(tuple).collect());
    let codes = (0..rows)
        .map(|_| draw.below(VALUES).min(draw.below(VALUES)) as u32)
        .collect();
    let people = (first..first + rows)
        .map(|at| Person((at as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)));
    CodedRows::new(leaves, values, codes, Some(people.collect()))
}
