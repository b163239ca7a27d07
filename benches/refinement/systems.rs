//! The constraint systems of our samples in a form for other programs: free cells, slabs with a
//! cap, and rows. Cells are derived from the public keys here, not by the attack, which must agree.
//! Each system contains our figures and their times.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tidegate::engine::gate::refinement::{
    AttackTarget, AttackedRows, CarvedClass, CarvedRelease, LayeredColumn, RefinementAttack,
    SolutionCount,
};

use super::common::random::Draw;
use super::paper::{KS, SAMPLES, SETTINGS};
use super::samples::sample;
use super::{TERMS, timed};

/// How often a target is attacked to measure its time; the median counts.
const TIMES: usize = 21;
/// The largest size, in powers of ten: targets with more assignments.
const SIZES: u32 = 6;

#[derive(Serialize, Deserialize)]
struct File {
    releases: Vec<Public>,
    systems: Vec<System>,
    /// The number of targets of each size in all samples; from the last size, which has no upper
    /// limit, none is drawn.
    targets: BTreeMap<u32, u64>,
}

/// A release as every reader sees it.
#[derive(Serialize, Deserialize)]
struct Public {
    /// Per column the lengths of its leaves, and per layer where nodes begin and the last one ends.
    columns: Vec<(Vec<u64>, Vec<Vec<usize>>)>,
    /// State, nodes and rows.
    classes: Vec<(Vec<usize>, Vec<usize>, u64)>,
    outliers: u64,
    k: u64,
}

#[derive(Serialize, Deserialize)]
struct System {
    /// Its target: the position of a release, and of a class in it; no class for outliers.
    release: usize,
    class: Option<usize>,
    /// Assignments are at most 10^size, and above 10^(size − 1).
    size: u32,
    rows: u64,
    cap: u64,
    /// Per free cell how many combinations of values it has.
    cells: Vec<u64>,
    /// Free cells that hold at most `cap` rows together.
    slabs: Vec<Vec<usize>>,
    /// The number that we count.
    assignments: String,
    solutions: String,
    /// For one attack, with its share of the time that all targets of its release need together.
    seconds: f64,
}

/// Writes this many systems of each size.
pub fn write(file: &Path, number: usize) {
    let mut releases = Vec::new();
    let mut places: BTreeMap<u32, Vec<(usize, AttackedRows)>> = BTreeMap::new();
    for setting in &SETTINGS {
        for (k, part) in KS
            .into_iter()
            .flat_map(|k| (0..SAMPLES).map(move |part| (k, part)))
        {
            let release = sample(setting, part, k).release;
            for target in RefinementAttack::new(&release, TERMS)
                .expect("an order of formation")
                .targets()
            {
                places
                    .entry(size(&target))
                    .or_default()
                    .push((releases.len(), target.place));
            }
            releases.push(release);
        }
    }
    let targets = places
        .iter()
        .map(|(&size, places)| (size, places.len() as u64))
        .collect();
    let mut draw = Draw::new(1, 0);
    let (mut used, mut systems) = (Vec::new(), Vec::new());
    for (size, mut places) in places.into_iter().filter(|(size, _)| *size <= SIZES) {
        for _ in 0..number.min(places.len()) {
            let (release, place) =
                places.swap_remove(draw.between(0, places.len() as u64 - 1) as usize);
            let at = used
                .iter()
                .position(|&known| known == release)
                .unwrap_or_else(|| {
                    used.push(release);
                    used.len() - 1
                });
            systems.push(system(&releases[release], place, (at, size)));
        }
    }
    let releases = used.into_iter().map(|at| public(&releases[at])).collect();
    let text = serde_json::to_string(&File {
        releases,
        systems,
        targets,
    })
    .expect("JSON");
    fs::write(file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// Reads such a file, attacks every target in it once and prints the numbers of assignments.
pub fn count(file: &Path) {
    let text = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let File {
        releases, systems, ..
    } = serde_json::from_slice(&text).expect("a file of systems");
    let releases: Vec<CarvedRelease> = releases.into_iter().map(release).collect();
    let attacks: Vec<RefinementAttack<'_>> = releases
        .iter()
        .map(|release| RefinementAttack::new(release, TERMS).expect("an order of formation"))
        .collect();
    for system in &systems {
        let place = system
            .class
            .map_or(AttackedRows::Outliers, AttackedRows::Class);
        println!(
            "{}",
            exact(&attacks[system.release].target(place).assignments)
        );
    }
}

fn size(target: &AttackTarget) -> u32 {
    let SolutionCount::Exact(number) = &target.assignments else {
        panic!("small enough for exact figures")
    };
    (0..=SIZES)
        .find(|&size| *number <= 10u64.pow(size).into())
        .unwrap_or(SIZES + 1)
}

fn exact(count: &SolutionCount) -> String {
    let SolutionCount::Exact(number) = count else {
        panic!("small enough for exact figures")
    };
    number.to_string()
}

fn system(release: &CarvedRelease, place: AttackedRows, (at, size): (usize, u32)) -> System {
    let targets = release.places().len() as f64;
    let (attack, shared) = timed(TIMES, || {
        RefinementAttack::new(release, TERMS).expect("an order of formation")
    });
    let (target, seconds) = timed(TIMES, || attack.target(place));
    let free = free(release, place);
    assert_eq!(target.free_cells, Some(free.len() as u64));
    let columns = release.columns();
    let volume = |cell: &Vec<u32>| {
        columns
            .iter()
            .zip(cell)
            .map(|(column, &leaf)| column.length(leaf))
            .product()
    };
    let mut slabs = Vec::new();
    for (at, (column, (layer, node))) in columns.iter().zip(release.nodes(place)).enumerate() {
        for slab in column.children(layer, node) {
            slabs.push(
                (0..free.len())
                    .filter(|&cell| slab.contains(&free[cell][at]))
                    .collect(),
            );
        }
    }
    System {
        release: at,
        class: match place {
            AttackedRows::Class(class) => Some(class),
            AttackedRows::Outliers => None,
        },
        size,
        rows: target.rows,
        cap: target.cap,
        cells: free.iter().map(volume).collect(),
        slabs,
        assignments: exact(&target.assignments),
        solutions: exact(&target.cra),
        seconds: seconds + shared / targets,
    }
}

/// The cells of a segment that no class with a lower key covers.
fn free(release: &CarvedRelease, place: AttackedRows) -> Vec<Vec<u32>> {
    let mut cells = vec![Vec::new()];
    for leaves in release.segment(place) {
        let longer = |cell: Vec<u32>| {
            leaves
                .clone()
                .map(move |leaf| [&cell[..], &[leaf]].concat())
        };
        cells = cells.into_iter().flat_map(longer).collect();
    }
    let earlier = |class: &usize| match place {
        AttackedRows::Class(target) => release.keys()[*class] < release.keys()[target],
        AttackedRows::Outliers => true,
    };
    let classes = 0..release.classes().len();
    let taken: Vec<_> = classes
        .filter(earlier)
        .map(|class| release.segment(AttackedRows::Class(class)))
        .collect();
    cells.retain(|cell| {
        !taken.iter().any(|segment| {
            segment
                .iter()
                .zip(cell)
                .all(|(side, leaf)| side.contains(leaf))
        })
    });
    cells
}

fn public(release: &CarvedRelease) -> Public {
    let column = |column: &LayeredColumn| {
        let starts = |layer: usize| {
            let ends = (0..column.nodes(layer)).map(|node| column.node(layer, node).end as usize);
            [0].into_iter().chain(ends).collect()
        };
        let lengths = (0..column.leaves())
            .map(|leaf| column.length(leaf))
            .collect();
        (lengths, (1..=column.height()).map(starts).collect())
    };
    Public {
        columns: release.columns().iter().map(column).collect(),
        classes: release
            .classes()
            .iter()
            .map(|class| (class.state.clone(), class.nodes.clone(), class.rows))
            .collect(),
        outliers: release.outliers(),
        k: release.k(),
    }
}

fn release(public: Public) -> CarvedRelease {
    let column = |(lengths, layers): (Vec<u64>, Vec<Vec<usize>>)| {
        let ranges = |starts: &Vec<usize>| starts.windows(2).map(|pair| pair[0]..pair[1]).collect();
        LayeredColumn::new(lengths, &layers.iter().map(ranges).collect::<Vec<_>>())
            .expect("a hierarchy")
    };
    let columns = public.columns.into_iter().map(column).collect();
    let classes = public
        .classes
        .into_iter()
        .map(|(state, nodes, rows)| CarvedClass { state, nodes, rows })
        .collect();
    CarvedRelease::new(columns, classes, public.outliers, public.k).expect("a release")
}
