//! Charts as SVG: one file per chart, all in one style.
//!
//! Every chart is drawn for a [`Canvas`]: wide for screens and papers, narrow for phones, where shrinking a wide
//! one would make its letters too small. [`Canvas::file`] gives a picture with its style inside, which stands
//! alone in a file; the page has the style once.

pub mod arrays;
mod frame;
pub mod roofline;
pub mod tightness;
pub mod traffic;

/// The style of all charts, light and dark.
pub const STYLE: &str = include_str!("style.css");

/// What a chart is drawn on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) standalone: bool,
    /// Distinguishes the patterns of several charts on one page.
    pub(crate) id: &'static str,
}

impl Canvas {
    /// For a column of text on a screen.
    pub const WIDE: Canvas = Canvas {
        width: 820.0,
        height: 460.0,
        standalone: false,
        id: "w",
    };
    /// For a phone.
    pub const NARROW: Canvas = Canvas {
        width: 400.0,
        height: 440.0,
        standalone: false,
        id: "n",
    };
    /// For a file of its own.
    pub const FILE: Canvas = Canvas {
        standalone: true,
        id: "f",
        ..Canvas::WIDE
    };

    /// Whether there is little room.
    pub(crate) fn is_narrow(&self) -> bool {
        self.width < 600.0
    }
}

/// The order of the operations that a number belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// The program's own.
    Original,
    /// That of a tiling.
    Tiled,
}

impl Order {
    /// Its name, also in style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Order::Original => "original",
            Order::Tiled => "tiled",
        }
    }
}

/// What leaves a full memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// Belady's rule.
    Opt,
    /// Least recently used.
    Lru,
    /// Set-associative.
    Set,
}

impl Policy {
    /// Its name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Opt => "OPT",
            Policy::Lru => "LRU",
            Policy::Set => "set-associative",
        }
    }
}
