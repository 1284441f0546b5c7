//! Reports on data movement: charts, tables and one self-contained page.
//!
//! ```text
//! plain values ──► chart::{traffic, roofline, arrays, tightness} ──► SVG, for files and papers
//!             ├──► table ──► text, CSV, Markdown, LaTeX, HTML
//!             └──► page  ──► one HTML page with the charts, no network
//! ```
//!
//! Values come in, text goes out: nothing here reads a file, asks the machine or knows what a program is. Charts
//! are drawn with floating point, because a pixel is no proof; every number that is printed arrives as text or as
//! an exact integer. The same values give the same text, byte for byte.
//!
//! Colours are those of Okabe and Ito, which people with any colour vision tell apart, in two sets for light and
//! dark surroundings; orders differ in colour, replacements in the shape of their marks, so that nothing is said
//! by colour alone.

pub mod chart;
pub mod number;
pub mod page;
mod scale;
mod svg;
pub mod table;

pub use svg::escaped;
