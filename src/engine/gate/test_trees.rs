//! Taxonomies for the tests of several checks.

use tidegate_model::{Taxonomy, Tree};

/// `*` with the children `a` and `b`, and the leaves `a0`, `a1`, `b0` and `b1`.
pub(crate) fn two_halves() -> Taxonomy {
    let mut tree = Tree::new("*");
    for half in ["a", "b"] {
        let at = tree.add(0, half, 1);
        (0..2).for_each(|leaf| _ = tree.add(at, &format!("{half}{leaf}"), 1));
    }
    tree.finish().expect("distinct labels")
}
