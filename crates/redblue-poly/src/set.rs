//! Sets of integer points with parameters, `[N] -> { S[i, j] : 0 <= i, j < N }`.
//!
//! A thin layer on `isl_set`: exact unions, differences, projections and tests. A parameter set is a set
//! without a tuple, `[N] -> { : N >= 1 }`. Counting points is in [`crate::count`].

use num_bigint::BigInt;

use crate::affine::{Constraint, Floor, rows};
use crate::context::{Context, c_name};
use crate::error::{PolyError, Result};
use crate::handle::{calls, public_object};
use crate::map::Map;
use crate::pieces;
use crate::pw_aff::PwAff;
use crate::space::{Space, position};
use crate::sys::{self, Dim};
use crate::text;
use crate::value;

public_object! {
    /// A set of integer points, with symbolic parameters.
    Set(isl_set), isl_set_to_str
}

public_object! {
    /// A conjunction of constraints, one disjunct of a [`Set`].
    BasicSet(isl_basic_set), isl_basic_set_to_str
}

impl Set {
    /// Reads isl notation.
    pub fn parse(context: &Context, source: &str) -> Result<Set> {
        Ok(Set(text::parse(
            context,
            source,
            sys::isl_set_read_from_str,
        )?))
    }

    /// All points of a space.
    pub fn universe(space: &Space) -> Result<Set> {
        Ok(Set(space.0.map(sys::isl_set_universe)?))
    }

    /// No point of a space.
    pub fn empty(space: &Space) -> Result<Set> {
        Ok(Set(space.0.map(sys::isl_set_empty)?))
    }

    /// The same set with fewer disjuncts if isl sees how.
    ///
    /// isl 0.25 now and then merges disjuncts with floors into something larger, so its answer is compared
    /// with the original and not taken when they differ.
    pub fn coalesce(&self) -> Result<Set> {
        let merged = Set(self.0.map(sys::isl_set_coalesce)?);
        // Every merge leaves one disjunct less, so as many as before are the same ones.
        let untouched = merged.disjuncts() == self.disjuncts();
        Ok(if untouched || merged.is_equal(self)? {
            merged
        } else {
            self.clone()
        })
    }

    /// The number of disjuncts, some of which may be empty or overlap.
    pub fn disjuncts(&self) -> usize {
        self.0.number(sys::isl_set_n_basic_set)
    }

    calls!(map Set {
        /// The lexicographically least point for every parameter value.
        lexmin = isl_set_lexmin;
        /// The lexicographically greatest point for every parameter value.
        lexmax = isl_set_lexmax;
        /// The parameter values for which the set is not empty.
        params = isl_set_params;
        /// All points of the space outside this set.
        complement = isl_set_complement;
        /// The same set as disjoint disjuncts.
        make_disjoint = isl_set_make_disjoint;
        /// The same set with every existential variable written as a floor.
        compute_divs = isl_set_compute_divs;
        /// The same set with implied equalities written out.
        detect_equalities = isl_set_detect_equalities;
        /// The same set without constraints that follow from others.
        remove_redundancies = isl_set_remove_redundancies;
        /// The same points in a space without tuple name.
        drop_tuple_name = isl_set_reset_tuple_id;
        /// The same points in a space without nested tuples.
        flatten = isl_set_flatten;
        /// The same set without parameters that play no role.
        drop_unused_params = isl_set_drop_unused_params;
    });

    calls!(pair Set -> Set {
        /// Points in either.
        union = isl_set_union;
        /// Points in both.
        intersect = isl_set_intersect;
        /// Points in this set but not in the other.
        subtract = isl_set_subtract;
        /// Restricts the parameters to a parameter set.
        intersect_params = isl_set_intersect_params;
        /// A simpler set that agrees with this one inside the other.
        gist = isl_set_gist;
        /// A simpler set that agrees with this one for the parameters of a parameter set.
        gist_params = isl_set_gist_params;
        /// All pairs, as one flat tuple.
        flat_product = isl_set_flat_product;
        /// All pairs, as nested tuples.
        product = isl_set_product;
    });

    calls!(pair Map -> Set {
        /// The image of this set.
        apply = isl_set_apply;
    });

    calls!(map Map {
        /// The identity on this set.
        identity = isl_set_identity;
        /// The map whose [`Map::wrap`] is this set.
        unwrap_map = isl_set_unwrap;
    });

    calls!(ask {
        /// Whether there is no point for any parameter value.
        is_empty = isl_set_is_empty;
        /// Whether there are finitely many points for every parameter value.
        is_bounded = isl_set_is_bounded;
        /// Whether this is a parameter set.
        is_params = isl_set_is_params;
        /// Whether the tuple is a pair of tuples.
        is_wrapping = isl_set_is_wrapping;
    });

    calls!(ask Set {
        /// Whether both have the same points.
        is_equal = isl_set_is_equal;
        /// Whether every point is in the other set.
        is_subset = isl_set_is_subset;
        /// Whether no point is in both.
        is_disjoint = isl_set_is_disjoint;
    });

    /// The space of this set.
    pub fn space(&self) -> Result<Space> {
        Ok(Space(self.0.get(sys::isl_set_get_space)?))
    }

    /// Number of dimensions.
    pub fn n_dim(&self) -> usize {
        self.0.number(|s| sys::isl_set_dim(s, Dim::SET))
    }

    /// Number of parameters.
    pub fn n_param(&self) -> usize {
        self.0.number(|s| sys::isl_set_dim(s, Dim::PARAM))
    }

    /// Name of a dimension.
    pub fn dim_name(&self, at: usize) -> Option<String> {
        self.space().ok()?.dim_name(Dim::SET, at)
    }

    /// Name of a parameter.
    pub fn param_name(&self, at: usize) -> Option<String> {
        self.space().ok()?.dim_name(Dim::PARAM, at)
    }

    /// Names of all parameters.
    pub fn param_names(&self) -> Vec<String> {
        self.space()
            .map(|space| space.param_names())
            .unwrap_or_default()
    }

    /// Name of the tuple.
    pub fn tuple_name(&self) -> Option<String> {
        if self.is_params().unwrap_or(true) {
            return None;
        }
        self.space().ok()?.tuple_name()
    }

    /// The same points under another tuple name.
    pub fn set_tuple_name(&self, name: &str) -> Result<Set> {
        let name = c_name(name)?;
        Ok(Set(self.0.map(|s| {
            sys::isl_set_set_tuple_name(s, (&*name).into())
        })?))
    }

    /// The same points with another name for a dimension.
    pub fn set_dim_name(&self, at: usize, name: &str) -> Result<Set> {
        let (at, name) = (position(at)?, c_name(name)?);
        Ok(Set(self.0.map(|s| {
            sys::isl_set_set_dim_name(s, Dim::SET, at, (&*name).into())
        })?))
    }

    /// The same set with another name for a parameter.
    pub fn rename_param(&self, from: &str, to: &str) -> Result<Set> {
        let (at, name) = (self.space()?.param_position(from)?, c_name(to)?);
        Ok(Set(self.0.map(|s| {
            sys::isl_set_set_dim_name(s, Dim::PARAM, at, (&*name).into())
        })?))
    }

    /// The same set over exactly these parameters, in this order. An error if another one plays a role.
    pub fn align_params<N: AsRef<str>>(&self, names: &[N]) -> Result<Set> {
        let model = Space::params(self.context(), names)?;
        let dropped = self.drop_unused_params()?;
        let aligned = Set(dropped.0.pair(&model.0, sys::isl_set_align_params)?);
        match aligned.param_name(names.len()) {
            Some(name) => Err(PolyError::UnknownName { name }),
            None => Ok(aligned),
        }
    }

    /// The set for one value of a parameter, which then is no parameter any more.
    pub fn fix_param(&self, name: &str, value: impl Into<BigInt>) -> Result<Set> {
        let at = self.space()?.param_position(name)?;
        let value = value::to_isl(self.context(), &value.into())?;
        let fixed = self
            .0
            .pair(&value, |s, v| sys::isl_set_fix_val(s, Dim::PARAM, at, v))?;
        Ok(Set(
            fixed.map(|s| sys::isl_set_project_out(s, Dim::PARAM, at, 1))?
        ))
    }

    /// The points with one value of a dimension, which stays.
    pub fn fix_dim(&self, at: usize, value: impl Into<BigInt>) -> Result<Set> {
        let at = position(at)?;
        let value = value::to_isl(self.context(), &value.into())?;
        Ok(Set(self.0.pair(&value, |s, v| {
            sys::isl_set_fix_val(s, Dim::SET, at, v)
        })?))
    }

    /// Exact projection that removes `n` dimensions from `first` on.
    pub fn project_out(&self, first: usize, n: usize) -> Result<Set> {
        self.dims_call(first, n, sys::isl_set_project_out)
    }

    /// Like [`Set::project_out`], but the dimensions stay, unconstrained.
    pub fn eliminate(&self, first: usize, n: usize) -> Result<Set> {
        self.dims_call(first, n, sys::isl_set_eliminate)
    }

    /// Inserts `n` unconstrained dimensions before position `first`.
    pub fn insert_dims(&self, first: usize, n: usize) -> Result<Set> {
        self.dims_call(first, n, sys::isl_set_insert_dims)
    }

    /// Moves `n` dimensions from `first` on so that the first of them gets position `to`, where positions
    /// after removal count.
    pub fn move_dims(&self, to: usize, first: usize, n: usize) -> Result<Set> {
        let (to, first, n) = (position(to)?, position(first)?, position(n)?);
        Ok(Set(self.0.map(|s| {
            sys::isl_set_move_dims(s, Dim::SET, to, Dim::SET, first, n)
        })?))
    }

    fn dims_call(
        &self,
        first: usize,
        n: usize,
        f: fn(sys::Take<sys::isl_set>, Dim, u32, u32) -> sys::Give<sys::isl_set>,
    ) -> Result<Set> {
        let (first, n) = (position(first)?, position(n)?);
        Ok(Set(self.0.map(|s| f(s, Dim::SET, first, n))?))
    }

    /// The same set with fewer disjuncts: one if it is convex, else what [`Set::coalesce`] finds.
    pub fn simplify(&self) -> Result<Set> {
        let coalesced = self.coalesce()?;
        let hull = coalesced.hull()?;
        if hull.is_subset(&coalesced)? {
            Ok(hull)
        } else {
            Ok(coalesced)
        }
    }

    fn hull(&self) -> Result<Set> {
        BasicSet(self.0.map(sys::isl_set_unshifted_simple_hull)?).to_set()
    }

    /// A convex superset without floors.
    pub fn simple_superset(&self) -> Result<Set> {
        Set(self.0.map(sys::isl_set_remove_divs)?)
            .coalesce()?
            .hull()
    }

    /// Whether a dimension occurs in a constraint.
    pub fn involves_dim(&self, at: usize) -> Result<bool> {
        let at = position(at)?;
        self.0
            .ask(|s| sys::isl_set_involves_dims(s, Dim::SET, at, 1))
    }

    /// The least value of a dimension as a function of the parameters.
    pub fn dim_min(&self, at: usize) -> Result<PwAff> {
        let at = position(at)? as i32;
        Ok(PwAff(self.0.map(|s| sys::isl_set_dim_min(s, at))?))
    }

    /// The greatest value of a dimension as a function of the parameters.
    pub fn dim_max(&self, at: usize) -> Result<PwAff> {
        let at = position(at)? as i32;
        Ok(PwAff(self.0.map(|s| sys::isl_set_dim_max(s, at))?))
    }

    /// The greatest value of a dimension over all parameter values; none if the set is empty or there is no greatest one.
    /// Much faster than [`Set::dim_max`].
    pub fn greatest(&self, at: usize) -> Result<Option<BigInt>> {
        let at = position(at)? as i32;
        let value = self.0.map(|s| sys::isl_set_dim_max_val(s, at))?;
        match value.ask(sys::isl_val_is_int)? {
            true => Ok(Some(value::integer(&value)?)),
            false => Ok(None),
        }
    }

    /// The disjuncts, with existential variables written as floors. They may overlap.
    pub fn basic_sets(&self) -> Result<Vec<BasicSet>> {
        let list = self
            .compute_divs()?
            .0
            .get(sys::isl_set_get_basic_set_list)?;
        let count = list
            .context()
            .size(sys::isl_basic_set_list_size(list.keep()))?;
        let item = |at| list.get(|l| sys::isl_basic_set_list_get_at(l, at));
        (0..count)
            .map(|at| Ok(BasicSet(item(at as i32)?)))
            .collect()
    }

    /// A parameter set as a set of points, one dimension per parameter.
    pub fn params_as_dims(&self) -> Result<Set> {
        let n = position(self.n_param())?;
        let set = if self.is_params()? {
            Set(self.0.map(sys::isl_set_from_params)?)
        } else {
            self.clone()
        };
        Ok(Set(set.0.map(|s| {
            sys::isl_set_move_dims(s, Dim::SET, 0, Dim::PARAM, 0, n)
        })?))
    }

    /// Some point, given as parameter values and coordinates, if there is one.
    pub fn sample_point(&self) -> Result<Option<(Vec<BigInt>, Vec<BigInt>)>> {
        let point = self.0.map(sys::isl_set_sample_point)?;
        if point.ask(sys::isl_point_is_void)? {
            return Ok(None);
        }
        let values = |dim, n: usize| -> Result<Vec<BigInt>> {
            let value = |at| point.get(|p| sys::isl_point_get_coordinate_val(p, dim, at));
            (0..n)
                .map(|at| value::integer(&value(at as i32)?))
                .collect()
        };
        Ok(Some((
            values(Dim::PARAM, self.n_param())?,
            values(Dim::SET, self.n_dim())?,
        )))
    }

    /// Whether a point belongs to the set, for given values of all parameters.
    pub fn contains(&self, params: &[BigInt], dims: &[BigInt]) -> Result<bool> {
        let contains = |basic: BasicSet| -> Result<bool> { basic.contains(params, dims) };
        for basic in self.basic_sets()? {
            if contains(basic)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All points of a bounded set without parameters, in lexicographic order.
    pub fn points(&self) -> Result<Vec<Vec<i64>>> {
        Ok(self.points_within(usize::MAX)?.unwrap_or_default())
    }

    /// All points of a bounded set without parameters, in lexicographic order, unless there are more than `most`.
    pub fn points_within(&self, most: usize) -> Result<Option<Vec<Vec<i64>>>> {
        if let Some(name) = self.drop_unused_params()?.param_name(0) {
            return Err(PolyError::UnknownName { name });
        }
        let set = self.align_params::<&str>(&[])?;
        if !set.is_bounded()? {
            return Err(PolyError::Unbounded {
                set: set.to_string(),
            });
        }
        let dims = set.n_dim() as i32;
        let Some(points) = pieces::points(&set, most)? else {
            return Ok(None);
        };
        let mut points = points
            .iter()
            .map(|point| {
                let value = |at| point.get(|p| sys::isl_point_get_coordinate_val(p, Dim::SET, at));
                (0..dims).map(|at| value::coordinate(&value(at)?)).collect()
            })
            .collect::<Result<Vec<Vec<i64>>>>()?;
        points.sort();
        Ok(Some(points))
    }
}

impl BasicSet {
    /// The constraints as plain data, equalities first; their floors are [`BasicSet::floors`].
    pub fn constraints(&self) -> Result<Vec<Constraint>> {
        let [c, p, d, f] = [Dim::CONSTANT, Dim::PARAM, Dim::SET, Dim::DIV];
        let sizes = [p, d, f].map(|dim| self.0.number(|s| sys::isl_basic_set_dim(s, dim)));
        let equalities = self
            .0
            .get(|s| sys::isl_basic_set_equalities_matrix(s, c, p, d, f))?;
        let inequalities = self
            .0
            .get(|s| sys::isl_basic_set_inequalities_matrix(s, c, p, d, f))?;
        let tagged = |rows: Vec<_>, equality| {
            rows.into_iter()
                .map(move |linear| Constraint { equality, linear })
        };
        let equalities = tagged(rows(&equalities, sizes)?, true);
        Ok(equalities
            .chain(tagged(rows(&inequalities, sizes)?, false))
            .collect())
    }

    /// The floors that the constraints refer to.
    pub fn floors(&self) -> Result<Vec<Floor>> {
        let count = self.0.number(|s| sys::isl_basic_set_dim(s, Dim::DIV));
        let floor = |at| self.0.get(|s| sys::isl_basic_set_get_div(s, at));
        (0..count)
            .map(|at| Floor::from_isl(&floor(at as i32)?))
            .collect()
    }

    /// Whether a point satisfies all constraints.
    pub fn contains(&self, params: &[BigInt], dims: &[BigInt]) -> Result<bool> {
        let floors = crate::affine::floor_values(&self.floors()?, params, dims);
        let zero = BigInt::default();
        let constraints = self.constraints()?;
        Ok(constraints.iter().all(|constraint| {
            let value = constraint.linear.evaluate(params, dims, &floors);
            if constraint.equality {
                value == zero
            } else {
                value >= zero
            }
        }))
    }

    /// This disjunct as a set.
    pub fn to_set(&self) -> Result<Set> {
        Ok(Set(self.0.map(sys::isl_set_from_basic_set)?))
    }
}
