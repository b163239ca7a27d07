//! The forms in which a feed file may write a taxonomy (CONTRACTS 2), each turned into a tree and the rule by which raw
//! values find their leaf.
