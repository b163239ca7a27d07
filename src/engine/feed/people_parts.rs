//! All people in the newest release of a chain, in parts that are combined on demand (SCIENCE 11).
//! A release that only adds rows does not need the others; writing its table does, and the combined
//! table is kept then.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::histogram::Histogram;

/// People in parts.
#[derive(Debug, Clone)]
pub(crate) struct PeopleInParts {
    first: Arc<Histogram>,
    /// The people who came since; each part has more people than the one after it.
    more: Vec<Arc<Histogram>>,
    /// All people, once combined.
    all: OnceLock<Arc<Histogram>>,
}

impl PeopleInParts {
    /// All people, combined.
    pub(crate) fn get(&self) -> &Histogram {
        if self.more.is_empty() {
            &self.first
        } else {
            self.all.get_or_init(|| self.together())
        }
    }

    /// The number of quasi columns.
    pub(crate) fn width(&self) -> usize {
        self.first.width()
    }

    /// The number of rows of all parts.
    fn rows(&self) -> u64 {
        self.first.rows() + self.more.iter().map(|part| part.rows()).sum::<u64>()
    }

    fn together(&self) -> Arc<Histogram> {
        let more: Vec<Histogram> = self
            .more
            .iter()
            .map(|part| Histogram::clone(part))
            .collect();
        let more = Histogram::merge_all(more).expect("there is a part");
        let all = self.first.merge(&more);
        assert_eq!(
            all.rows(),
            self.rows(),
            "parts are put together, and no row is lost"
        );
        Arc::new(all)
    }

    /// These people and more, of the same increment.
    #[must_use]
    pub(crate) fn and(&self, more: impl IntoIterator<Item = Histogram>) -> PeopleInParts {
        let mut whole = self.clone().settled();
        for mut part in more {
            // If the people are not combined for a long time, parts of about one size are merged.
            while let Some(last) = whole.more.pop_if(|last| last.cells() <= 2 * part.cells()) {
                part = last.merge(&part);
            }
            whole.more.push(Arc::new(part));
        }
        assert!(whole.rows() >= self.rows(), "rows come, and none goes");
        whole
    }

    /// The same without the parts that were combined.
    #[must_use]
    pub(crate) fn settled(self) -> PeopleInParts {
        let PeopleInParts { first, more, all } = self;
        match all.into_inner() {
            Some(all) => PeopleInParts {
                first: all,
                more: Vec::new(),
                all: OnceLock::new(),
            },
            None => PeopleInParts {
                first,
                more,
                all: OnceLock::new(),
            },
        }
    }
}

impl From<Histogram> for PeopleInParts {
    fn from(all: Histogram) -> PeopleInParts {
        PeopleInParts {
            first: Arc::new(all),
            more: Vec::new(),
            all: OnceLock::new(),
        }
    }
}

/// Equal if the people are the same, in whatever parts.
impl PartialEq for PeopleInParts {
    fn eq(&self, other: &PeopleInParts) -> bool {
        self.get() == other.get()
    }
}

impl Eq for PeopleInParts {}

impl Serialize for PeopleInParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PeopleInParts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PeopleInParts, D::Error> {
        Histogram::deserialize(deserializer).map(PeopleInParts::from)
    }
}
