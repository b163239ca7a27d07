//! Optimal full-domain recodings of public data (SCIENCE 8; ARX), against the results of another
//! implementation: the same state, Loss to 16 digits, the same suppressed rows. The data are not
//! shipped; `TIDEGATE_DATA` names the folder that contains them. `levels_repeats.json` has data
//! sets whose hierarchies repeat labels upwards.

use serde_json::Value as Json;
use tidegate::engine::label::levels::{
    Costs, Diverse, Lattice, LevelsProblem, LevelsSearch, Mean, Objective, Privacy,
};

use crate::common::levels::Data;
use crate::common::{golden, is_long, needs, strings};

/// The privacy model of a case.
fn privacy(case: &Json) -> Privacy {
    let text = case["pm"].as_str().expect("a privacy model");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let diverse = match *text.split(':').collect::<Vec<_>>() {
        [""] => Vec::new(),
        ["distinct", l] => vec![Diverse::Distinct(l.parse().expect("a number"))],
        ["entropy", l] => vec![Diverse::Entropy(number(l))],
        ["recursive", c, l] => vec![Diverse::Recursive {
            c: number(c),
            l: l.parse().expect("a number"),
        }],
        ["tclose", t] => vec![Diverse::Close(number(t))],
        _ => panic!("{text}"),
    };
    Privacy {
        k: case["k"].as_u64().expect("k"),
        diverse,
    }
}

#[test]
fn optima_are_those_of_the_reference() {
    let Some(folder) = needs::data() else { return };
    let files = ["levels_global.json", "levels_repeats.json"].map(golden);
    for case in files
        .iter()
        .flat_map(|file| file.as_array().expect("cases"))
    {
        let name = case["id"].as_str().expect("a name");
        // These check many states; small lattices test the same in every run.
        if !is_long()
            && ["tclose", "recursive", "k50"]
                .iter()
                .any(|slow| name.contains(slow))
        {
            continue;
        }
        let data = Data::read(
            &folder.join(case["dataset"].as_str().expect("a data set")),
            &strings(&case["order"]),
            case["sensitive"].as_str(),
        );
        let (trees, privacy) = (data.trees(), privacy(case));
        let (lattice, rows) = (Lattice::of(&trees), data.table(privacy.looks_at_values()));
        let number = |key: &str| case[key].as_f64().expect(key);
        let suppressed = (2_000.0 * number("gs_factor")).round() as u64;
        let costs = Costs::loss(&rows, &lattice, &trees, suppressed.min(1_000));
        let costs = match case["aggregate"].as_str() {
            Some("ARITHMETIC_MEAN") => costs.with_mean(Mean::Arithmetic),
            _ => costs,
        };
        let problem = LevelsProblem {
            rows: &rows,
            lattice: &lattice,
            privacy: &privacy,
            suppressed: (number("suppression_limit") * rows.all() as f64).floor() as u64,
            objective: &Objective::Columns(costs),
        };
        assert_eq!(
            lattice.states(),
            u128::from(case["lattice"].as_u64().expect("a number")),
            "{name}"
        );
        let found = LevelsSearch::new(&problem).best_first(|_| false);
        // The k-anonymous optima of whole data sets are found with fewer checks.
        if name.starts_with("main-") {
            assert!(
                Some(found.checked) <= case["checked"].as_u64(),
                "{name}: {} states were checked",
                found.checked
            );
        }
        let best = found.best.expect("an optimum");
        let vector: Vec<u64> = best.levels.iter().map(|&level| level.into()).collect();
        assert_eq!(serde_json::json!(vector), case["vector"], "{name}");
        assert!(
            (best.figure - number("loss")).abs() < 1e-9,
            "{name}: {}",
            best.figure
        );
        assert_eq!(
            serde_json::json!(best.suppressed),
            case["suppressed"],
            "{name}"
        );
    }
}

/// Twelve columns: the search keeps more states than the index keeps of the newest ones, ends at
/// its limit, and says what it found and what it did not exclude.
#[test]
fn wide_tables_are_searched_up_to_a_limit() {
    let Some(folder) = needs::data() else { return };
    let names: Vec<String> = ["age", "familysize", "gender", "married", "race", "religion"]
        .map(str::to_owned)
        .into();
    let names: Vec<String> = names
        .into_iter()
        .chain((1..=6).map(|question| format!("Q{question}A")))
        .collect();
    let data = Data::read(&folder.join("mach2019_int"), &names, None);
    let trees = data.trees();
    let (lattice, rows, privacy) = (Lattice::of(&trees), data.table(false), Privacy::k(5));
    let objective = Objective::Columns(Costs::loss(&rows, &lattice, &trees, 1_000));
    let suppressed = rows.all() / 20;
    let problem = LevelsProblem {
        rows: &rows,
        lattice: &lattice,
        privacy: &privacy,
        suppressed,
        objective: &objective,
    };
    let found = LevelsSearch::new(&problem).best_first(|checked| checked > 9_000);
    let (best, bound) = (
        found.best.expect("a state that fits"),
        found.bound.expect("the search was stopped"),
    );
    assert!(
        found.checked > 9_000 && bound < best.figure,
        "{} states, {bound} of {}",
        found.checked,
        best.figure
    );
}
