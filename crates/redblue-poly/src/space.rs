//! Spaces: which parameters and which tuples of dimensions a set or map talks about.

use crate::context::{Context, c_name};
use crate::error::{PolyError, Result};
use crate::handle::{Handle, public_object};
use crate::sys::{self, Dim};

public_object! {
    /// The shape of a set or map: parameters by name, and one tuple (set) or two (map).
    Space(isl_space), isl_space_to_str
}

impl Space {
    /// The space of parameter sets over these parameters.
    pub fn params<N: AsRef<str>>(context: &Context, params: &[N]) -> Result<Space> {
        let mut space = context.receive(sys::isl_space_params_alloc(context.keep(), 0))?;
        for param in params {
            let id = identifier(context, param.as_ref())?;
            space = space.pair(&id, sys::isl_space_add_param_id)?;
        }
        Ok(Space(space))
    }

    /// The space `[params] -> { tuple[dims] }`; an empty tuple name means none.
    pub fn set<N: AsRef<str>, M: AsRef<str>>(
        context: &Context,
        params: &[N],
        tuple: &str,
        dims: &[M],
    ) -> Result<Space> {
        let space = Space::params(context, params)?
            .0
            .map(sys::isl_space_set_from_params)?;
        let count = position(dims.len())?;
        let mut space = space.map(|s| sys::isl_space_add_dims(s, Dim::SET, count))?;
        for (at, dim) in dims.iter().enumerate() {
            let name = c_name(dim.as_ref())?;
            let at = position(at)?;
            space = space.map(|s| sys::isl_space_set_dim_name(s, Dim::SET, at, (&*name).into()))?;
        }
        if !tuple.is_empty() {
            let name = c_name(tuple)?;
            space = space.map(|s| sys::isl_space_set_tuple_name(s, Dim::SET, (&*name).into()))?;
        }
        Ok(Space(space))
    }

    /// The space of maps from one set space to another.
    pub fn map(domain: &Space, range: &Space) -> Result<Space> {
        // isl wants both halves to list the same parameters.
        let domain = domain.0.pair(&range.0, sys::isl_space_align_params)?;
        let range = range.0.pair(&domain, sys::isl_space_align_params)?;
        Ok(Space(
            domain.pair(&range, sys::isl_space_map_from_domain_and_range)?,
        ))
    }

    /// The set space of a map space's first tuple.
    pub fn domain(&self) -> Result<Space> {
        Ok(Space(self.0.map(sys::isl_space_domain)?))
    }

    /// The set space of a map space's second tuple.
    pub fn range(&self) -> Result<Space> {
        Ok(Space(self.0.map(sys::isl_space_range)?))
    }

    /// Number of parameters.
    pub fn n_param(&self) -> usize {
        self.n(Dim::PARAM)
    }

    /// Number of dimensions of a set space, or of a map space's second tuple.
    pub fn n_dim(&self) -> usize {
        self.n(Dim::OUT)
    }

    /// Number of dimensions of a map space's first tuple.
    pub fn n_in(&self) -> usize {
        self.n(Dim::IN)
    }

    /// The names of the parameters. Parameters of this crate always have names.
    pub fn param_names(&self) -> Vec<String> {
        (0..self.n_param())
            .map(|at| self.dim_name(Dim::PARAM, at).unwrap_or_default())
            .collect()
    }

    /// Name of the tuple of a set space, or of a map space's second tuple.
    pub fn tuple_name(&self) -> Option<String> {
        self.tuple(Dim::OUT)
    }

    /// Whether both have the same parameters, tuples and names.
    pub fn is_equal(&self, other: &Space) -> Result<bool> {
        self.0.ask_pair(&other.0, sys::isl_space_is_equal)
    }

    pub(crate) fn n(&self, dim: Dim) -> usize {
        self.0.number(|s| sys::isl_space_dim(s, dim))
    }

    pub(crate) fn tuple(&self, dim: Dim) -> Option<String> {
        self.0.name(|s| sys::isl_space_get_tuple_name(s, dim))
    }

    pub(crate) fn dim_name(&self, dim: Dim, at: usize) -> Option<String> {
        // isl complains about a position out of range; for us that is just a dimension without name.
        if at >= self.n(dim) {
            return None;
        }
        let at = position(at).ok()?;
        self.0.name(|s| sys::isl_space_get_dim_name(s, dim, at))
    }

    /// Position of a parameter.
    pub(crate) fn param_position(&self, name: &str) -> Result<std::ffi::c_uint> {
        let at = self.param_names().iter().position(|param| param == name);
        position(at.ok_or_else(|| PolyError::UnknownName {
            name: name.to_owned(),
        })?)
    }
}

pub(crate) fn identifier(context: &Context, name: &str) -> Result<Handle<sys::isl_id>> {
    let name = c_name(name)?;
    // SAFETY: the identifier has no user data, so isl never dereferences the null pointer.
    let id = unsafe { sys::isl_id_alloc(context.keep(), (&*name).into(), std::ptr::null_mut()) };
    context.receive(id)
}

/// A position or number of dimensions as isl counts them.
pub(crate) fn position(at: usize) -> Result<std::ffi::c_uint> {
    // isl stores sizes as signed integers.
    i32::try_from(at)
        .map(i32::unsigned_abs)
        .map_err(|_| PolyError::Overflow {
            value: at.to_string(),
        })
}
