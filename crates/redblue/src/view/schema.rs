//! JSON Schemas of all documents, derived from the types that are written.
//!
//! Copies stand in `docs/schema/`; a test keeps them current and holds real outputs against them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use super::bound::BoundDocument;
use super::check::CheckDocument;
use super::deps::DepsDocument;
use super::diff::DiffDocument;
use super::gap::GapDocument;
use super::ir::IrDocument;
use super::kernels::Kernels;
use super::machine::MachineDocument;
use super::methods::MethodsDocument;
use super::pebble::PebbleDocument;
use super::plan::PlanDocument;
use super::simulate::SimulateDocument;
use super::tile::TileDocument;

/// A document that has a schema.
pub struct Documented {
    /// As in its field `schema`, without `redblue.`: the command that prints it.
    pub name: &'static str,
    make: fn(SchemaGenerator) -> schemars::Schema,
}

/// All documents, by name.
pub static DOCUMENTS: &[Documented] = &[
    of::<BoundDocument>("bound"),
    of::<CheckDocument>("check"),
    of::<DepsDocument>("deps"),
    of::<DiffDocument>("diff"),
    of::<GapDocument>("gap"),
    of::<IrDocument>("ir"),
    of::<Kernels>("kernels"),
    of::<MachineDocument>("machine"),
    of::<MethodsDocument>("methods"),
    of::<PebbleDocument>("pebble"),
    of::<PlanDocument>("plan"),
    of::<SimulateDocument>("simulate"),
    of::<TileDocument>("tile"),
];

const fn of<T: JsonSchema>(name: &'static str) -> Documented {
    Documented {
        name,
        make: SchemaGenerator::into_root_schema_for::<T>,
    }
}

impl Documented {
    /// The schema, as JSON.
    pub fn schema(&self) -> Value {
        // What is written, not what could be read: a field that is left out when empty is not required.
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut schema = (self.make)(settings.into_generator()).to_value();
        schema["title"] = json!(format!("redblue.{}", self.name));
        schema["properties"]["schema"] = json!({ "const": format!("redblue.{}", self.name) });
        schema
    }
}
