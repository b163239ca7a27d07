//! Cuts, steps of a search and classes by their labels, so that they can be found in taxonomies
//! that have grown since.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::row_columns::other;
use crate::engine::label::Course;
use crate::engine::model::{Carving, Cut, Leaf, Node, Recoding, Taxonomy};
use crate::error::Result;

/// For each quasi column the labels of a cut.
type Cuts = Vec<Vec<Box<str>>>;

/// Specialisations of a cut, in order, by column and label.
type Steps = Vec<(usize, Box<str>)>;

/// A recoding and the steps that led to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CourseTexts {
    cuts: Cuts,
    steps: Steps,
}

impl CourseTexts {
    pub(super) fn of(course: &Course, trees: &[&Taxonomy]) -> CourseTexts {
        let step = |&(column, node): &(usize, Node)| (column, trees[column].label(node).into());
        CourseTexts {
            cuts: labels(course.cut(), trees),
            steps: course.steps().iter().map(step).collect(),
        }
    }

    /// New leaves of a taxonomy are under one of the labels, or are nodes of the cut.
    pub(super) fn read(texts: Option<&CourseTexts>, trees: &[&Taxonomy]) -> Result<Option<Course>> {
        let Some(texts) = texts else { return Ok(None) };
        let cut = recoding(&texts.cuts, trees)?;
        let steps = steps(&texts.steps, trees)?;
        Ok(Some(Course::new(cut, steps, trees)))
    }
}

/// Classes by their labels, which may be those of leaves. If labels do not determine the members of
/// classes, an empty list follows, and for each class the leaves of its tuples, one after the
/// other.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Classes(Vec<Vec<Box<str>>>);

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Classes({})", self.0.len())
    }
}

/// Classes by their labels.
pub(super) fn classes(carving: &Carving, trees: &[&Taxonomy]) -> Classes {
    let label = |(&node, tree): (&Node, &&Taxonomy)| tree.label(node).into();
    let labels = |nodes: &Vec<Node>| -> Vec<Box<str>> {
        nodes.iter().zip(trees.iter().cycle()).map(label).collect()
    };
    let mut written: Vec<Vec<Box<str>>> = carving.classes().iter().map(labels).collect();
    if let Some(groups) = carving.groups() {
        let leaves = |tuple: &Vec<Leaf>| -> Vec<Node> {
            tuple
                .iter()
                .zip(trees)
                .map(|(&leaf, tree)| tree.leaf_node(leaf))
                .collect()
        };
        written.push(Vec::new());
        written.extend(
            groups
                .iter()
                .map(|group| labels(&group.iter().flat_map(leaves).collect())),
        );
    }
    Classes(written)
}

pub(super) fn carving(Classes(classes): &Classes, trees: &[&Taxonomy]) -> Result<Carving> {
    let class = |class: &Vec<Box<str>>| -> Option<Vec<Node>> {
        let nodes = class
            .iter()
            .zip(trees)
            .map(|(label, tree)| tree.find(label));
        (class.len() == trees.len())
            .then(|| nodes.collect())
            .flatten()
    };
    let end = classes.iter().position(Vec::is_empty);
    let (classes, groups) = classes.split_at(end.unwrap_or(classes.len()));
    let classes: Option<Vec<Vec<Node>>> = classes.iter().map(class).collect();
    let classes = classes.ok_or_else(other)?;
    let Some((_, groups)) = groups.split_first() else {
        return Ok(Carving::new(classes));
    };
    let tuple = |labels: &[Box<str>]| -> Option<Vec<Leaf>> {
        let leaves = labels
            .iter()
            .zip(trees)
            .map(|(label, tree)| tree.find_leaf(label));
        (labels.len() == trees.len())
            .then(|| leaves.collect())
            .flatten()
    };
    let tuples = |group: &Vec<Box<str>>| group.chunks(trees.len()).map(tuple).collect();
    let groups: Option<Vec<Vec<Vec<Leaf>>>> = groups.iter().map(tuples).collect();
    let groups = groups
        .filter(|groups| groups.len() == classes.len())
        .ok_or_else(other)?;
    Ok(Carving::of_groups(classes, &groups))
}

fn labels(cut: &[Cut], trees: &[&Taxonomy]) -> Cuts {
    let of = |(cut, tree): (&Cut, &&Taxonomy)| {
        cut.nodes()
            .iter()
            .map(|&node| tree.label(node).into())
            .collect()
    };
    cut.iter().zip(trees).map(of).collect()
}

fn steps(steps: &Steps, trees: &[&Taxonomy]) -> Result<Vec<(usize, Node)>> {
    let node =
        |(column, label): &(usize, Box<str>)| Some((*column, trees.get(*column)?.find(label)?));
    steps
        .iter()
        .map(|step| node(step).ok_or_else(other))
        .collect()
}

fn recoding(cuts: &Cuts, trees: &[&Taxonomy]) -> Result<Recoding> {
    let of = |(labels, tree): (&Vec<Box<str>>, &&Taxonomy)| {
        let nodes: Option<Vec<Node>> = labels.iter().map(|label| tree.find(label)).collect();
        nodes
            .and_then(|nodes| Cut::completed(tree, &nodes).ok())
            .ok_or_else(other)
    };
    if cuts.len() != trees.len() {
        return Err(other());
    }
    cuts.iter().zip(trees).map(of).collect()
}
