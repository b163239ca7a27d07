//! The checks of the gate share no code. Which room may know which is in the manifests of the rooms,
//! so that Cargo holds it; this holds what Cargo cannot see, inside one room.

use std::collections::BTreeSet;

use super::imports::Import;

/// The folder with one file or folder for each check of the gate. Checks receive shared data as
/// values and never import each other, so that an error in one cannot hide an error in another; nor
/// does the attack beside the verdict that has the name of a check serve another check.
pub const CHECKS: &str = "engine::gate::verdict::checks::";

/// Diversity is that of the candidates that the attack on the whole chain leaves, which `bcf` alone
/// needs.
const SERVES: (&str, &str) = ("diversity", "chain");

/// Checks of the gate that import each other.
pub fn whispers(imports: &[Import]) -> Vec<String> {
    let name = |module: &str| -> Option<String> {
        let inside = module.strip_prefix(CHECKS)?;
        inside.split("::").next().map(str::to_owned)
    };
    let mut checks: BTreeSet<String> = BTreeSet::new();
    for Import { from, to, .. } in imports {
        checks.extend(name(from).into_iter().chain(name(to)));
    }
    let attack = |module: &str| {
        let inside = module.strip_prefix("engine::gate::")?;
        let first = inside.split("::").next()?.to_owned();
        checks.contains(&first).then_some(first)
    };
    let mut found = Vec::new();
    for Import { from, to, line } in imports {
        let (Some(one), Some(other)) = (name(from), name(to).or_else(|| attack(to))) else {
            continue;
        };
        if one != other && (one.as_str(), other.as_str()) != SERVES {
            found.push(format!(
                "the check {from} (line {line}) names the check {to}"
            ));
        }
    }
    found
}
