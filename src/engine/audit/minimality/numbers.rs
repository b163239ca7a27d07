//! What sensitive values stand for where a requirement is about numbers (MIN 5, (k, e)-anonymity): whole numbers of one unit, so that
//! differences are exact.

use super::requirement::Requirement;
use crate::histogram::SensitiveValues;
use crate::model::Value;
use crate::policy::Decimal;

/// Numbers, where the requirement is about some.
#[derive(Default)]
pub struct NumbersCase {
    /// By value.
    pub of: Vec<i128>,
    /// The least distance that is asked.
    pub e: i128,
    /// Decimals of the unit.
    pub scale: u8,
}

/// A number and its sign.
type Signed = (bool, Decimal);

impl NumbersCase {
    /// Of all values; `None` where one of them is no number, or they are of several columns.
    pub fn of(values: &SensitiveValues, asked: &Requirement) -> Option<NumbersCase> {
        let Requirement::Range { e, .. } = asked else { return Some(NumbersCase::default()) };
        let number = |value: &Value| -> Option<Signed> {
            match value {
                Value::Int(number) => Some((*number < 0, Decimal::new(number.unsigned_abs(), 0)?)),
                Value::Float(number) => Some((number.get() < 0.0, Decimal::from_float(number.get().abs())?)),
                _ => None,
            }
        };
        let each = (0..values.len()).map(|code| match values.get(code as u32) {
            [value] => number(value),
            _ => None,
        });
        let each: Vec<Signed> = each.collect::<Option<_>>()?;
        let scale = each.iter().map(|(_, number)| number.scale()).chain([e.scale()]).max().unwrap_or(0);
        let whole = |&(negative, number): &Signed| {
            let number = i128::from(number.digits()) * 10i128.pow((scale - number.scale()).into());
            if negative { -number } else { number }
        };
        Some(NumbersCase { of: each.iter().map(whole).collect(), e: whole(&(false, *e)), scale })
    }
}
