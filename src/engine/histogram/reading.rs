//! What the cells of a source are: how strictly a text or a number is taken for a value (HOUSE 4). It decodes nothing.

/// What the cells of a source are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellReading {
    /// Raw rows of a source that knows only text (CSV): text is parsed by the column's type.
    Text,
    /// Raw rows of a typed source (Parquet, Arrow): types must agree.
    Typed,
    /// Raw rows of JSON: typed, but dates are text, and a number is no text.
    Json,
    /// Raw rows of Avro: each has types of its own, and nothing but a type counts.
    Avro,
    /// Rows of a release: quasi cells are labels of their taxonomy, at any height.
    Labels {
        /// Whether sensitive cells are text that is parsed (CSV).
        text: bool,
    },
}

impl CellReading {
    /// Whether values are written as text, whatever their type.
    pub fn is_text(self) -> bool {
        matches!(self, CellReading::Text | CellReading::Labels { text: true })
    }

    /// Whether these are rows of a release.
    pub fn is_labels(self) -> bool {
        matches!(self, CellReading::Labels { .. })
    }
}
