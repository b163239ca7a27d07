//! Releases that the gate rejects, each for the right reason: a good release with one fault, from a
//! list that is data.

mod bytes;
mod cases;
mod chain_tests;
mod crowds;
mod measures;
mod pages;
mod people;
mod promises;
mod rows;
mod sample;
mod sheet;
mod two_tables;

use crate::common::chain;

use chain::Offer;
use sample::{lines, third};
use sheet::Sheet;
use tidegate::engine::gate::verdict::Verdict;
use tidegate::engine::policy::{ChainKind, Guarantee};
use tidegate::engine::release::ReleasePages;

type OfferSpoiler = dyn Fn(&mut Offer);
type PagesSpoiler = dyn Fn(&Offer, &mut ReleasePages);

/// The fault of a release.
pub enum Spoil {
    /// In the table, or in the gate's other inputs.
    Offer(Box<OfferSpoiler>),
    /// In the files that are published with the table.
    Pages(Box<PagesSpoiler>),
}

/// A release with one fault.
pub struct Mutant {
    /// The description of the fault.
    pub name: &'static str,
    /// How it is made.
    pub spoil: Spoil,
    /// The check that must reject it.
    pub check: &'static str,
    /// Part of `place: text` of one of its reasons.
    pub reason: &'static str,
}

/// Shorthand for the lists.
pub fn offer(
    name: &'static str,
    check: &'static str,
    reason: &'static str,
    spoil: impl Fn(&mut Offer) + 'static,
) -> Mutant {
    Mutant {
        name,
        spoil: Spoil::Offer(Box::new(spoil)),
        check,
        reason,
    }
}

fn reported(verdict: &Verdict) -> Vec<(String, String)> {
    verdict
        .reasons()
        .map(|(check, why)| {
            (
                check.check.to_string(),
                format!("{}: {}", why.place, why.text),
            )
        })
        .collect()
}

/// Checks that every mutant of this release is rejected, by the right check and with the right
/// words; reports all that are not, at once.
fn refused(good: &Offer, mutants: &[Mutant]) {
    let mut wrong = Vec::new();
    for mutant in mutants {
        let mut spoilt = good.clone();
        match &mutant.spoil {
            Spoil::Offer(spoil) => spoil(&mut spoilt),
            Spoil::Pages(_) => {}
        }
        let decided =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match &mutant.spoil {
                Spoil::Offer(_) => spoilt.decided(|_| ()),
                Spoil::Pages(spoil) => spoilt.decided(|pages| spoil(&spoilt, pages)),
            }));
        let Ok(verdict) = decided else {
            wrong.push(format!("{}: the gate panicked", mutant.name));
            continue;
        };
        match verdict {
            Ok(_) => wrong.push(format!("{}: approved", mutant.name)),
            Err(verdict) => {
                let reasons = reported(&verdict);
                let right = |(check, text): &(String, String)| {
                    check == mutant.check && text.contains(mutant.reason)
                };
                if !reasons.iter().any(right) {
                    wrong.push(format!("{}: refused for {reasons:?}", mutant.name));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        mutants.len(),
        wrong.join("\n")
    );
}

/// Chains whose releases are one table each; those whose rows keep their labels are spoilt in
/// `crowds`, and in the engine's tests of such chains.
const FEEDS: [(ChainKind, Option<Guarantee>); 2] = [
    (ChainKind::Cumulative, Some(Guarantee::Bcf)),
    (ChainKind::Disjoint, None),
];

#[test]
fn what_is_spoilt_is_good_before() {
    for (kind, guarantee) in FEEDS {
        let (_, good) = third(kind, guarantee);
        let approved = good.decided(|_| ());
        assert!(
            approved.is_ok(),
            "{kind:?} {guarantee:?}: {:?}",
            approved.err().map(|verdict| reported(&verdict))
        );
        assert_eq!(
            Sheet::of(&lines(&good)).bytes(),
            good.data(),
            "mutants are written as releases are"
        );
    }
}

#[test]
fn every_mutant_is_refused() {
    let (_, good) = third(ChainKind::Cumulative, Some(Guarantee::Bcf));
    let mutants: Vec<Mutant> = [
        rows::mutants(),
        bytes::mutants(),
        cases::mutants(),
        pages::mutants(),
    ]
    .into_iter()
    .flatten()
    .collect();
    println!("{} mutants", mutants.len());
    assert!(mutants.len() >= 25);
    refused(&good, &mutants);
}

/// The bytes of one of the files that are published with a table.
type Bytes = fn(&mut ReleasePages) -> &mut Vec<u8>;

const PAGES: [Bytes; 3] = [
    |pages| &mut pages.manifest,
    |pages| &mut pages.report,
    |pages| &mut pages.taxonomy,
];

/// Any byte changed, and any file truncated: rejected, and never with a panic.
#[test]
fn no_byte_can_be_changed() {
    let (_, good) = third(ChainKind::Cumulative, Some(Guarantee::Bcf));
    let refused = |data: Vec<u8>, place: &str| {
        let spoilt = Offer {
            tables: good.tables.clone().with_bytes(vec![data]).expect("one"),
            ..good.clone()
        };
        assert!(spoilt.decided(|_| ()).is_err(), "{place}");
    };
    for at in 0..good.data().len() {
        let mut data = good.data().to_vec();
        data[at] ^= [0x01, 0x80][at % 2];
        refused(data, &format!("byte {at} of the table"));
        if at % 7 == 0 {
            refused(
                good.data()[..at].to_vec(),
                &format!("a table of {at} bytes"),
            );
        }
    }
    for (number, bytes) in PAGES.iter().enumerate() {
        let mut length = 0;
        assert!(good.decided(|pages| length = bytes(pages).len()).is_ok());
        for at in (0..length).step_by(41) {
            let verdict = good.decided(|pages| bytes(pages)[at] ^= 0x01);
            assert!(verdict.is_err(), "byte {at} of page {number}");
        }
    }
}

/// Faults that do not depend on the guarantee are rejected under each.
#[test]
fn spoilt_rows_and_bytes_are_refused_in_every_chain() {
    for (kind, guarantee) in &FEEDS {
        let (_, good) = third(*kind, *guarantee);
        refused(&good, &bytes::mutants());
        refused(&good, &rows::everywhere());
        refused(&good, &cases::other(guarantee.is_some()));
    }
}
