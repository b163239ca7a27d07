//! The people who approve releases (CONTRACTS 1, `schedule.approvers`): their names and public
//! keys.

use std::collections::BTreeMap;

use super::file::Approval;
use super::notes::Notes;
use crate::sign::PublicKey;

/// The people who may approve and reject releases. If the list is empty, every account with the
/// operator's key may.
#[derive(Debug, Clone, Default)]
pub struct Approvers {
    needed: u32,
    people: Vec<Approver>,
}

/// One of them.
#[derive(Debug, Clone)]
pub struct Approver {
    /// Their name.
    pub name: String,
    /// The key that verifies their statements.
    pub key: PublicKey,
}

/// The longest name, in characters.
pub const MOST_NAME: usize = 200;

impl Approvers {
    /// The number of people who have to approve a release.
    pub fn needed(&self) -> u32 {
        self.needed.max(1)
    }

    /// Whether approvals have to be signed.
    pub fn sign(&self) -> bool {
        !self.people.is_empty()
    }

    fn with_key(&self, key: &PublicKey) -> Option<&Approver> {
        self.people.iter().find(|person| person.key == *key)
    }

    /// The people.
    pub fn people(&self) -> &[Approver] {
        &self.people
    }
}

/// Reads the approvers of a feed file.
pub(super) fn read(
    people: Option<BTreeMap<String, String>>,
    needed: Option<u32>,
    approval: Approval,
    notes: &mut Notes,
) -> Approvers {
    let (path, count) = ("schedule.approvers", "schedule.approvals");
    if approval != Approval::Manual {
        let text = "a person approves releases only with `approval = \"manual\"`: write that too, or remove this";
        notes.refuse_if(people.is_some(), path, text);
        notes.refuse_if(needed.is_some(), count, text);
    }
    notes.refuse_if(
        people.as_ref().is_some_and(BTreeMap::is_empty),
        path,
        "without an approver no release is ever approved: name one, with the public half of their key, or remove the \
         table",
    );
    let mut approvers = Approvers {
        needed: needed.unwrap_or(1),
        people: Vec::new(),
    };
    for (name, key) in people.unwrap_or_default() {
        let at = format!("{path}.{name}");
        let line =
            !name.trim().is_empty() && name.trim() == name && name.chars().count() <= MOST_NAME;
        if !line || name.chars().any(char::is_control) {
            notes.refuse(
                path,
                format!("the name of an approver is one line of at most {MOST_NAME} letters, without spaces around it"),
            );
        }
        let Some(key) = PublicKey::parse(&key) else {
            notes.refuse(
                &at,
                "this is not a public key: it has 64 hexadecimal digits, as `tidegate approver-key` prints them",
            );
            continue;
        };
        match approvers.with_key(&key) {
            Some(other) => {
                let text = format!(
                    "this is the key of `{}` too: every approver has a key of their own",
                    other.name
                );
                notes.refuse(&at, text);
            }
            None => approvers.people.push(Approver { name, key }),
        }
    }
    let people = approvers.people.len();
    if needed == Some(0) {
        notes.refuse(
            count,
            "at least one person approves a release: write 1, or `approval = \"none\"`",
        );
    } else if approvers.needed() > 1 && !approvers.sign() {
        let text = "the operator's key does not distinguish two people: name the people in `[schedule.approvers]`, \
                    each with the public half of their own key (`tidegate approver-key` makes one)";
        notes.refuse(count, text);
    } else if approvers.needed() as usize > people.max(1) {
        notes.refuse(
            count,
            format!("there are only {people} approvers, so no release could ever be approved"),
        );
    }
    approvers
}
