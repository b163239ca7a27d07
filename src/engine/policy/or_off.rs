//! Limits that are off by default may be written as the word `off` (CONTRACTS 1). Judges nothing.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The word `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OffWord {
    /// `off`
    Off,
}

/// A value, or `off` for none.
///
/// # Errors
/// Those of the value.
pub(super) fn or_off<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    from.deserialize_any(OrOffVisitor(PhantomData))
}

/// How the schema describes such a key.
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only the schema is made from it")]
pub(super) enum OrOff<T> {
    /// The limit.
    Value(T),
    /// There is none, as by default.
    Off(OffWord),
}

struct OrOffVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OrOffVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a limit, or \"off\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
        if text == "off" {
            Ok(None)
        } else {
            T::deserialize(text.into_deserializer()).map(Some)
        }
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Option<T>, E> {
        T::deserialize(truth.into_deserializer()).map(Some)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Option<T>, E> {
        T::deserialize(number.into_deserializer()).map(Some)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
        T::deserialize(number.into_deserializer()).map(Some)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Option<T>, E> {
        T::deserialize(number.into_deserializer()).map(Some)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}
