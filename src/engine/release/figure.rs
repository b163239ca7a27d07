//! Figures and limits of checks in a manifest (CONTRACTS 4), where they are public. Other code
//! decides which are: a check that reads sensitive values, or counts what the release does not
//! show, never has its value here.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::Finite;

/// A figure or a limit: a whole number, or another finite number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// A count.
    Whole(u64),
    /// A share, a ratio, a distance.
    Real(Finite),
}

impl Figure {
    /// A number that is no count; `None` for infinities and NaN, which JSON cannot represent.
    pub fn real(number: f64) -> Option<Figure> {
        Finite::new(number).map(Figure::Real)
    }

    /// The nearest float.
    pub fn get(self) -> f64 {
        match self {
            Figure::Whole(count) => count as f64,
            Figure::Real(number) => number.get(),
        }
    }
}

impl std::fmt::Debug for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Figure::Whole(count) => write!(f, "{count}"),
            Figure::Real(number) => write!(f, "{:?}", number.get()),
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Figure::Whole(count) => serializer.serialize_u64(*count),
            Figure::Real(number) => serializer.serialize_f64(number.get()),
        }
    }
}

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Figure, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Number {
            Whole(u64),
            Real(f64),
        }
        match Number::deserialize(deserializer)? {
            Number::Whole(count) => Ok(Figure::Whole(count)),
            Number::Real(number) => {
                Figure::real(number).ok_or_else(|| serde::de::Error::custom("no finite number"))
            }
        }
    }
}

impl schemars::JsonSchema for Figure {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Figure".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number" })
    }
}
