//! The numbers that sensitive values represent, for requirements about numbers (MIN 5, (k,
//! e)-anonymity): whole numbers of one unit, so that differences are exact.

use super::requirement::Requirement;
use crate::histogram::SensitiveValues;
use crate::model::Value;
use crate::policy::Decimal;

/// Numbers, for a requirement about numbers.
#[derive(Default)]
pub(super) struct NumbersCase {
    /// The number of each value.
    pub of: Vec<i128>,
    /// The required range.
    pub e: i128,
    /// Decimals of the unit.
    pub scale: u8,
}

/// A number and its sign.
type Signed = (bool, Decimal);

impl NumbersCase {
    /// The numbers of all values; `None` if a value is no number, or the values are of several
    /// columns.
    pub(super) fn of(values: &SensitiveValues, wanted: &Requirement) -> Option<NumbersCase> {
        let Requirement::Range { e, .. } = wanted else {
            return Some(NumbersCase::default());
        };
        let number = |value: &Value| -> Option<Signed> {
            match value {
                Value::Int(number) => Some((*number < 0, Decimal::new(number.unsigned_abs(), 0)?)),
                Value::Float(number) => {
                    Some((number.get() < 0.0, Decimal::from_float(number.get().abs())?))
                }
                _ => None,
            }
        };
        let each = (0..values.len()).map(|code| match values.get(code as u32) {
            [value] => number(value),
            _ => None,
        });
        let each: Vec<Signed> = each.collect::<Option<_>>()?;
        let scale = each
            .iter()
            .map(|(_, number)| number.scale())
            .chain([e.scale()])
            .max()
            .unwrap_or(0);
        let whole = |&(negative, number): &Signed| {
            let number = i128::from(number.digits()) * 10i128.pow((scale - number.scale()).into());
            if negative { -number } else { number }
        };
        Some(NumbersCase {
            of: each.iter().map(whole).collect(),
            e: whole(&(false, *e)),
            scale,
        })
    }
}
