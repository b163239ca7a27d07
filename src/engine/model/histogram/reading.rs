//! The kinds of cells in a source: how strictly a text or a number is converted into a value (HOUSE
//! 4). It decodes nothing.

/// The kind of the cells of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellReading {
    /// Raw rows of a source that contains only text (CSV): text is parsed by the column's type.
    Text,
    /// Raw rows of a typed source (Parquet, Arrow): types must agree.
    Typed,
    /// Raw rows of JSON: typed, except that dates are text; a number is no text.
    Json,
    /// Raw rows of Avro: each row has types of its own, which must agree.
    Avro,
    /// Rows of a release: quasi cells are labels of their taxonomy, at any height.
    Labels {
        /// Whether sensitive cells are text to be parsed (CSV).
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
