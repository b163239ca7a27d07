use super::*;
impl Domain {
    pub fn leaf_of_text(&self, _k: Kind, t: &str) -> Option<Leaf> {
        self.tree.find_leaf(t)
    }
    pub fn leaf_of_int(&self, n: i64) -> Option<Leaf> {
        self.tree.find_leaf(&n.to_string())
    }
    pub fn leaf_of_days(&self, _: i32) -> Option<Leaf> {
        None
    }
}
pub fn int_of_text(t: &str) -> Option<i64> {
    t.parse().ok()
}
pub fn days_of_text(_: &str) -> Option<i32> {
    None
}
