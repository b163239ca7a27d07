//! The interval hierarchy of one numeric column (CRA 2; SCIENCE 6): leaf intervals, and layers of
//! nodes above them, each a range of leaves. Knows only lengths and positions, never labels or
//! values.

use std::ops::Range;

use super::malformed_release::Malformed;

/// A column's leaves and layers. Layer 1 holds the leaves, the last one the root; every layer
/// divides all leaves into ranges, and each of them is a union of ranges of the layer below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayeredColumn {
    /// The number of domain values in each leaf interval.
    lengths: Vec<u64>,
    /// For each layer the first leaf of each node, and the number of leaves at the end.
    layers: Vec<Vec<u32>>,
    /// For each layer the number of values in its longest interval.
    longest: Vec<u64>,
}

impl LayeredColumn {
    /// From the number of domain values per leaf interval, and for each layer the leaf range of
    /// each node, leaves first, root last.
    ///
    /// # Errors
    /// The layers are no hierarchy over these leaves, or the intervals of a layer differ in length
    /// (the last one may be shorter).
    pub fn new(
        lengths: Vec<u64>,
        layers: &[Vec<Range<usize>>],
    ) -> Result<LayeredColumn, Malformed> {
        let column = LayeredColumn::uneven(lengths, layers)?;
        let strict = column
            .layers
            .windows(2)
            .all(|pair| pair[1].len() < pair[0].len());
        for layer in 1..=column.height() {
            let (nodes, longest) = (column.nodes(layer), column.longest(layer));
            let values = |node: usize| column.values(&column.node(layer, node));
            if (1..nodes)
                .any(|node| values(node) > longest || (values(node) < longest && node + 1 < nodes))
            {
                return Err(Malformed::Unequal);
            }
        }
        if strict {
            Ok(column)
        } else {
            Err(Malformed::Hierarchy)
        }
    }

    /// The same for intervals of any length.
    ///
    /// # Errors
    /// The layers are no hierarchy over these leaves.
    pub fn uneven(
        lengths: Vec<u64>,
        layers: &[Vec<Range<usize>>],
    ) -> Result<LayeredColumn, Malformed> {
        let leaves = lengths.len();
        if leaves == 0 || lengths.contains(&0) || u32::try_from(leaves).is_err() {
            return Err(Malformed::Hierarchy);
        }
        lengths
            .iter()
            .try_fold(0u64, |sum, &length| sum.checked_add(length))
            .ok_or(Malformed::TooLarge)?;
        let starts = |nodes: &Vec<Range<usize>>| -> Option<Vec<u32>> {
            let mut starts = vec![0];
            for node in nodes {
                let joins = node.start == *starts.last()? as usize
                    && node.start < node.end
                    && node.end <= leaves;
                starts.push(joins.then_some(node.end as u32)?);
            }
            (*starts.last()? as usize == leaves).then_some(starts)
        };
        let layers: Option<Vec<Vec<u32>>> = layers.iter().map(starts).collect();
        let layers = layers.ok_or(Malformed::Hierarchy)?;
        let nested = layers.windows(2).all(|pair| {
            pair[1].len() <= pair[0].len()
                && pair[1]
                    .iter()
                    .all(|start| pair[0].binary_search(start).is_ok())
        });
        let ends = layers
            .first()
            .is_some_and(|first| first.len() == leaves + 1)
            && layers[layers.len() - 1].len() == 2;
        if !nested || !ends {
            return Err(Malformed::Hierarchy);
        }
        let mut column = LayeredColumn {
            lengths,
            layers,
            longest: Vec::new(),
        };
        for layer in 1..=column.height() {
            let first = column.values(&column.node(layer, 0));
            column.longest.push(first);
        }
        assert_eq!(
            column.nodes(column.height()),
            1,
            "one node holds the whole domain"
        );
        assert_eq!(
            column.domain(),
            column.lengths.iter().sum::<u64>(),
            "the root has all values"
        );
        Ok(column)
    }

    /// The number of layers, including leaves and root.
    pub fn height(&self) -> usize {
        self.layers.len()
    }

    /// The number of leaf intervals.
    pub fn leaves(&self) -> u32 {
        self.lengths.len() as u32
    }

    /// The number of nodes of a layer; layers are counted from 1.
    pub fn nodes(&self, layer: usize) -> usize {
        self.layers[layer - 1].len() - 1
    }

    /// The leaves under a node of a layer.
    pub fn node(&self, layer: usize, node: usize) -> Range<u32> {
        let starts = &self.layers[layer - 1];
        starts[node]..starts[node + 1]
    }

    /// The node of a layer that contains a leaf.
    pub fn above(&self, layer: usize, leaf: u32) -> usize {
        assert!(leaf < self.leaves(), "a leaf of this column");
        self.layers[layer - 1].partition_point(|&start| start <= leaf) - 1
    }

    /// The leaf ranges of a node's children; none at layer 1.
    pub fn children(&self, layer: usize, node: usize) -> impl Iterator<Item = Range<u32>> {
        let leaves = self.node(layer, node);
        let below = layer
            .checked_sub(2)
            .map_or(&[][..], |below| &self.layers[below][..]);
        let inside = move |pair: &&[u32]| leaves.start <= pair[0] && pair[1] <= leaves.end;
        below.windows(2).filter(inside).map(|pair| pair[0]..pair[1])
    }

    /// The number of domain values in one leaf interval.
    pub fn length(&self, leaf: u32) -> u64 {
        self.lengths[leaf as usize]
    }

    /// The number of domain values in a range of leaves.
    pub fn values(&self, leaves: &Range<u32>) -> u64 {
        self.lengths[leaves.start as usize..leaves.end as usize]
            .iter()
            .sum()
    }

    /// The number of domain values in an interval of a layer; a shorter last one counts as full.
    pub fn longest(&self, layer: usize) -> u64 {
        self.longest[layer - 1]
    }

    /// D: the number of all domain values.
    pub fn domain(&self) -> u64 {
        self.longest(self.height())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layers whose nodes leave gaps, are empty or exceed the leaves, that are not unions of those
    /// below, or that have as many nodes as those below.
    #[test]
    fn what_is_no_hierarchy_is_refused() {
        let leaves = vec![0..1, 1..2, 2..3];
        let one = |from: usize, to: usize| std::iter::once(from..to).collect::<Vec<Range<usize>>>();
        let whole = vec![one(0, 3)];
        let between =
            |nodes: Vec<Range<usize>>| [vec![leaves.clone(), nodes], whole.clone()].concat();
        let of = |layers: &[Vec<Range<usize>>]| LayeredColumn::uneven(vec![1; 3], layers);
        assert_eq!(
            of(&between(vec![0..2, 2..3]))
                .expect("a hierarchy")
                .nodes(2),
            2
        );
        for nodes in [
            vec![0..1, 0..2, 2..3],
            vec![0..0, 0..2, 2..3],
            vec![0..2, 2..4],
            one(0, 2),
            one(1, 3),
        ] {
            assert_eq!(
                of(&between(nodes.clone())).err(),
                Some(Malformed::Hierarchy),
                "{nodes:?}"
            );
        }
        let crossing = [
            vec![leaves.clone(), vec![0..2, 2..3], vec![0..1, 1..3]],
            whole.clone(),
        ]
        .concat();
        assert_eq!(of(&crossing).err(), Some(Malformed::Hierarchy));
        let as_many = between(leaves.clone());
        assert!(of(&as_many).is_ok());
        assert_eq!(
            LayeredColumn::new(vec![1; 3], &as_many).err(),
            Some(Malformed::Hierarchy)
        );
    }
}
