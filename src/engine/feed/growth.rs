//! Adapts a feed to taxonomies that have grown (CONTRACTS 1): everything that it stores is
//! renumbered. No person moves, since the new leaves have no people yet.

use std::sync::Arc;

use super::state::Feed;
use crate::model::{Cut, Recoding, Taxonomy, TreeGrowth};
use crate::policy::{ChainPromise, Policy};

impl Feed {
    /// Adapts the feed to taxonomies with new leaves; one growth per quasi column.
    pub fn grow(&mut self, growth: &[TreeGrowth], policy: &Policy, trees: &[&Taxonomy]) {
        assert_eq!(growth.len(), trees.len(), "one growth for each column");
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let recoding = |old: &[Cut]| -> Recoding {
            old.iter()
                .zip(growth)
                .zip(trees)
                .map(|((cut, growth), tree)| growth.cut(cut, tree))
                .collect()
        };
        // If first leaves stand for classes, a new leaf may be the first.
        let first = matches!(policy.chain(), ChainPromise::Blind(_));
        self.new.iter_mut().for_each(|new| new.grow(growth));
        self.waiting.grow(growth);
        self.withheld.grow(growth);
        self.carried.grow(growth);
        let mut whole = self.whole().clone();
        whole.grow(growth);
        self.standing.grow(growth, trees);
        for increment in &mut self.unpublished {
            increment.recoding = recoding(&increment.recoding);
            increment
                .carving
                .iter_mut()
                .for_each(|carving| carving.grow(growth));
            increment.rows.grow(growth);
            increment
                .ledger
                .iter_mut()
                .for_each(|ledger| ledger.grow(growth));
            increment
                .measures
                .iter_mut()
                .for_each(|measures| measures.grow_labels(growth));
        }
        if let Some(alone) = &mut self.alone {
            alone.course.grow(growth, trees);
            alone
                .ledger
                .iter_mut()
                .for_each(|ledger| ledger.grow(growth));
            alone
                .measures
                .iter_mut()
                .for_each(|measures| measures.grow_labels(growth));
        }
        for published in &mut self.published {
            published.recoding = recoding(&published.recoding);
            published.atoms = recoding(&published.atoms);
            published
                .measures
                .iter_mut()
                .for_each(|measures| Arc::make_mut(measures).grow_labels(growth));
            let rows = Arc::make_mut(&mut published.rows);
            rows.grow(growth);
            if first {
                *rows = rows.coarsened(&published.recoding, trees);
            }
        }
        if let Some(last) = self.published.last().filter(|_| first) {
            whole = whole.coarsened(&last.recoding, trees);
        }
        self.whole = whole.into();
    }
}
