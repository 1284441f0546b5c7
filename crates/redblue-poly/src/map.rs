//! Relations between integer points with parameters, `[N] -> { S[i] -> A[i + 1] : 0 <= i < N }`.

use num_bigint::BigInt;

use crate::affine::Affine;
use crate::context::{Context, c_name};
use crate::error::{PolyError, Result};
use crate::handle::{calls, public_object};
use crate::pieces;
use crate::pw_aff::{self, PwAff};
use crate::set::Set;
use crate::space::{Space, position};
use crate::sys::{self, Dim};
use crate::text;
use crate::value;

public_object! {
    /// A relation between integer points, with symbolic parameters.
    Map(isl_map), isl_map_to_str
}

impl Map {
    /// Reads isl notation.
    pub fn parse(context: &Context, source: &str) -> Result<Map> {
        Ok(Map(text::parse(
            context,
            source,
            sys::isl_map_read_from_str,
        )?))
    }

    /// All pairs of a map space.
    pub fn universe(space: &Space) -> Result<Map> {
        Ok(Map(space.0.map(sys::isl_map_universe)?))
    }

    /// No pair of a map space.
    pub fn empty(space: &Space) -> Result<Map> {
        Ok(Map(space.0.map(sys::isl_map_empty)?))
    }

    /// All pairs of points of a set space whose first is lexicographically smaller.
    pub fn lex_lt(set_space: &Space) -> Result<Map> {
        Ok(Map(set_space.0.map(sys::isl_map_lex_lt)?))
    }

    /// All pairs of points of a set space whose first is lexicographically smaller or equal.
    pub fn lex_le(set_space: &Space) -> Result<Map> {
        Ok(Map(set_space.0.map(sys::isl_map_lex_le)?))
    }

    /// All pairs of points of a set space whose first is lexicographically greater.
    pub fn lex_gt(set_space: &Space) -> Result<Map> {
        Ok(Map(set_space.0.map(sys::isl_map_lex_gt)?))
    }

    /// All pairs of points of a set space whose first is lexicographically greater or equal.
    pub fn lex_ge(set_space: &Space) -> Result<Map> {
        Ok(Map(set_space.0.map(sys::isl_map_lex_ge)?))
    }

    /// All pairs of a point of one set and a point of the other.
    pub fn from_domain_and_range(domain: &Set, range: &Set) -> Result<Map> {
        Ok(Map(domain
            .0
            .pair(&range.0, sys::isl_map_from_domain_and_range)?))
    }

    /// The function whose coordinates are given, from a set space to the tuple `tuple` (empty: unnamed).
    pub fn from_pw_affs(domain: &Space, tuple: &str, coordinates: &[PwAff]) -> Result<Map> {
        let names: Vec<String> = domain.param_names();
        let dims: Vec<String> = (0..coordinates.len()).map(|at| format!("c{at}")).collect();
        let range = Space::set(domain.context(), &names, tuple, &dims)?;
        let space = Space::map(domain, &range)?;
        let list = pw_aff::list(domain, coordinates)?;
        let function = space
            .0
            .pair(&list, sys::isl_multi_pw_aff_from_pw_aff_list)?;
        Ok(Map(function.map(sys::isl_map_from_multi_pw_aff)?))
    }

    /// The same map with fewer disjuncts if isl sees how.
    ///
    /// isl 0.25 now and then merges disjuncts with floors into something larger, so its answer is compared
    /// with the original and not taken when they differ.
    pub fn coalesce(&self) -> Result<Map> {
        let merged = Map(self.0.map(sys::isl_map_coalesce)?);
        // Every merge leaves one disjunct less, so as many as before are the same ones.
        let disjuncts = |map: &Map| map.0.number(sys::isl_map_n_basic_map);
        let untouched = disjuncts(&merged) == disjuncts(self);
        Ok(if untouched || merged.is_equal(self)? {
            merged
        } else {
            self.clone()
        })
    }

    calls!(map Map {
        /// The pairs turned around.
        reverse = isl_map_reverse;
        /// For every element, its lexicographically least image.
        lexmin = isl_map_lexmin;
        /// For every element, its lexicographically greatest image.
        lexmax = isl_map_lexmax;
        /// From wrapped pairs to their first element.
        domain_map = isl_map_domain_map;
        /// From wrapped pairs to their second element.
        range_map = isl_map_range_map;
        /// The same map without nested tuples in the domain.
        flatten_domain = isl_map_flatten_domain;
        /// The same map without nested tuples in the range.
        flatten_range = isl_map_flatten_range;
        /// The same map with every existential variable written as a floor.
        compute_divs = isl_map_compute_divs;
        /// The same map with implied equalities written out.
        detect_equalities = isl_map_detect_equalities;
        /// The same map without constraints that follow from others.
        remove_redundancies = isl_map_remove_redundancies;
        /// The same map without parameters that play no role.
        drop_unused_params = isl_map_drop_unused_params;
        /// `[A -> B] -> C` to `A -> C`.
        domain_factor_domain = isl_map_domain_factor_domain;
        /// `[A -> B] -> C` to `B -> C`.
        domain_factor_range = isl_map_domain_factor_range;
        /// `A -> [B -> C]` to `A -> B`.
        range_factor_domain = isl_map_range_factor_domain;
        /// `A -> [B -> C]` to `A -> C`.
        range_factor_range = isl_map_range_factor_range;
        /// `[A -> B] -> C` to `A -> [B -> C]`.
        curry = isl_map_curry;
        /// `A -> [B -> C]` to `[A -> B] -> C`.
        uncurry = isl_map_uncurry;
    });

    calls!(pair Map -> Map {
        /// Pairs in either.
        union = isl_map_union;
        /// Pairs in both.
        intersect = isl_map_intersect;
        /// Pairs in this map but not in the other.
        subtract = isl_map_subtract;
        /// Composition: first this map, then the other.
        apply_range = isl_map_apply_range;
        /// Replaces the domain by its image under the other map.
        apply_domain = isl_map_apply_domain;
        /// A simpler map that agrees with this one inside the other.
        gist = isl_map_gist;
        /// `A -> B` and `A -> C` to `A -> [B -> C]`.
        range_product = isl_map_range_product;
        /// `A -> B` and `A -> C` to `A -> BC`, one flat tuple.
        flat_range_product = isl_map_flat_range_product;
        /// `A -> C` and `B -> C` to `[A -> B] -> C`.
        domain_product = isl_map_domain_product;
        /// `A -> B` and `C -> D` to `[A -> C] -> [B -> D]`.
        product = isl_map_product;
    });

    calls!(pair Set -> Map {
        /// Restricts the first elements.
        intersect_domain = isl_map_intersect_domain;
        /// Restricts the second elements.
        intersect_range = isl_map_intersect_range;
        /// Restricts the parameters to a parameter set.
        intersect_params = isl_map_intersect_params;
        /// Removes pairs whose first element is in the set.
        subtract_domain = isl_map_subtract_domain;
        /// Removes pairs whose second element is in the set.
        subtract_range = isl_map_subtract_range;
        /// A simpler map that agrees with this one on the given domain.
        gist_domain = isl_map_gist_domain;
        /// A simpler map that agrees with this one on the given range.
        gist_range = isl_map_gist_range;
        /// A simpler map that agrees with this one for the parameters of a parameter set.
        gist_params = isl_map_gist_params;
    });

    calls!(map Set {
        /// The first elements.
        domain = isl_map_domain;
        /// The second elements.
        range = isl_map_range;
        /// The parameter values for which the map is not empty.
        params = isl_map_params;
        /// The differences second minus first.
        deltas = isl_map_deltas;
        /// The pairs as a set of nested tuples.
        wrap = isl_map_wrap;
    });

    calls!(ask {
        /// Whether there is no pair for any parameter value.
        is_empty = isl_map_is_empty;
        /// Whether every element has at most one image.
        is_single_valued = isl_map_is_single_valued;
        /// Whether every element is the image of at most one.
        is_injective = isl_map_is_injective;
        /// Whether the map is single-valued and injective.
        is_bijective = isl_map_is_bijective;
    });

    calls!(ask Map {
        /// Whether both have the same pairs.
        is_equal = isl_map_is_equal;
        /// Whether every pair is in the other map.
        is_subset = isl_map_is_subset;
        /// Whether no pair is in both.
        is_disjoint = isl_map_is_disjoint;
    });

    /// The image of a set.
    pub fn apply_to_set(&self, set: &Set) -> Result<Set> {
        set.apply(self)
    }

    /// The space of this map.
    pub fn space(&self) -> Result<Space> {
        Ok(Space(self.0.get(sys::isl_map_get_space)?))
    }

    /// Number of dimensions of the domain.
    pub fn n_in(&self) -> usize {
        self.0.number(|m| sys::isl_map_dim(m, Dim::IN))
    }

    /// Number of dimensions of the range.
    pub fn n_out(&self) -> usize {
        self.0.number(|m| sys::isl_map_dim(m, Dim::OUT))
    }

    /// Number of parameters.
    pub fn n_param(&self) -> usize {
        self.0.number(|m| sys::isl_map_dim(m, Dim::PARAM))
    }

    /// Names of all parameters.
    pub fn param_names(&self) -> Vec<String> {
        self.space()
            .map(|space| space.param_names())
            .unwrap_or_default()
    }

    /// Name of a dimension of the domain.
    pub fn in_name(&self, at: usize) -> Option<String> {
        self.space().ok()?.dim_name(Dim::IN, at)
    }

    /// Name of a dimension of the range.
    pub fn out_name(&self, at: usize) -> Option<String> {
        self.space().ok()?.dim_name(Dim::OUT, at)
    }

    /// Name of the domain's tuple.
    pub fn in_tuple(&self) -> Option<String> {
        self.space().ok()?.tuple(Dim::IN)
    }

    /// Name of the range's tuple.
    pub fn out_tuple(&self) -> Option<String> {
        self.space().ok()?.tuple(Dim::OUT)
    }

    /// The same pairs with another tuple name for the domain.
    pub fn set_in_tuple(&self, name: &str) -> Result<Map> {
        self.set_tuple(Dim::IN, name)
    }

    /// The same pairs with another tuple name for the range.
    pub fn set_out_tuple(&self, name: &str) -> Result<Map> {
        self.set_tuple(Dim::OUT, name)
    }

    fn set_tuple(&self, dim: Dim, name: &str) -> Result<Map> {
        let name = c_name(name)?;
        Ok(Map(self.0.map(|m| {
            sys::isl_map_set_tuple_name(m, dim, (&*name).into())
        })?))
    }

    /// The same pairs with an unnamed range.
    pub fn drop_out_tuple(&self) -> Result<Map> {
        Ok(Map(self
            .0
            .map(|m| sys::isl_map_reset_tuple_id(m, Dim::OUT))?))
    }

    /// The same pairs with another name for a dimension of the domain.
    pub fn set_in_name(&self, at: usize, name: &str) -> Result<Map> {
        self.set_name(Dim::IN, at, name)
    }

    /// The same pairs with another name for a dimension of the range.
    pub fn set_out_name(&self, at: usize, name: &str) -> Result<Map> {
        self.set_name(Dim::OUT, at, name)
    }

    fn set_name(&self, dim: Dim, at: usize, name: &str) -> Result<Map> {
        let (at, name) = (position(at)?, c_name(name)?);
        Ok(Map(self.0.map(|m| {
            sys::isl_map_set_dim_name(m, dim, at, (&*name).into())
        })?))
    }

    /// The same map with another name for a parameter.
    pub fn rename_param(&self, from: &str, to: &str) -> Result<Map> {
        let (at, name) = (self.space()?.param_position(from)?, c_name(to)?);
        Ok(Map(self.0.map(|m| {
            sys::isl_map_set_dim_name(m, Dim::PARAM, at, (&*name).into())
        })?))
    }

    /// The same map over exactly these parameters, in this order. An error if another one plays a role.
    pub fn align_params<N: AsRef<str>>(&self, names: &[N]) -> Result<Map> {
        let model = Space::params(self.context(), names)?;
        let dropped = self.drop_unused_params()?;
        let aligned = Map(dropped.0.pair(&model.0, sys::isl_map_align_params)?);
        match aligned.space()?.dim_name(Dim::PARAM, names.len()) {
            Some(name) => Err(PolyError::UnknownName { name }),
            None => Ok(aligned),
        }
    }

    /// The map for one value of a parameter, which then is no parameter any more.
    pub fn fix_param(&self, name: &str, value: impl Into<BigInt>) -> Result<Map> {
        let at = self.space()?.param_position(name)?;
        let value = value::to_isl(self.context(), &value.into())?;
        let fixed = self
            .0
            .pair(&value, |m, v| sys::isl_map_fix_val(m, Dim::PARAM, at, v))?;
        Ok(Map(
            fixed.map(|m| sys::isl_map_project_out(m, Dim::PARAM, at, 1))?
        ))
    }

    /// Inserts `n` unconstrained dimensions in the domain before position `first`.
    pub fn insert_in(&self, first: usize, n: usize) -> Result<Map> {
        let (first, n) = (position(first)?, position(n)?);
        Ok(Map(self
            .0
            .map(|m| sys::isl_map_insert_dims(m, Dim::IN, first, n))?))
    }

    /// Inserts `n` unconstrained dimensions in the range before position `first`.
    pub fn insert_out(&self, first: usize, n: usize) -> Result<Map> {
        let (first, n) = (position(first)?, position(n)?);
        Ok(Map(self.0.map(|m| {
            sys::isl_map_insert_dims(m, Dim::OUT, first, n)
        })?))
    }

    /// Exact projection that removes `n` dimensions of the domain from `first` on.
    pub fn project_out_in(&self, first: usize, n: usize) -> Result<Map> {
        self.project_out(Dim::IN, first, n)
    }

    /// Exact projection that removes `n` dimensions of the range from `first` on.
    pub fn project_out_out(&self, first: usize, n: usize) -> Result<Map> {
        self.project_out(Dim::OUT, first, n)
    }

    fn project_out(&self, dim: Dim, first: usize, n: usize) -> Result<Map> {
        let (first, n) = (position(first)?, position(n)?);
        Ok(Map(self
            .0
            .map(|m| sys::isl_map_project_out(m, dim, first, n))?))
    }

    /// Only the pairs in which dimension `at_in` of the domain equals dimension `at_out` of the range.
    pub fn equate(&self, at_in: usize, at_out: usize) -> Result<Map> {
        let (at_in, at_out) = (position(at_in)? as i32, position(at_out)? as i32);
        Ok(Map(self.0.map(|m| {
            sys::isl_map_equate(m, Dim::IN, at_in, Dim::OUT, at_out)
        })?))
    }

    /// A single-valued map as affine functions on disjoint pieces of its domain.
    pub fn affine_pieces(&self) -> Result<Vec<(Set, Vec<Affine>)>> {
        if !self.is_single_valued()? {
            return Err(PolyError::NotSingleValued {
                map: self.to_string(),
            });
        }
        let function = self.0.map(sys::isl_pw_multi_aff_from_map)?;
        let coordinates = self.n_out() as i32;
        pieces::of_map(&function)?
            .into_iter()
            .map(|(set, multi)| {
                let coordinate = |at| multi.get(|m| sys::isl_multi_aff_get_at(m, at));
                let affine = (0..coordinates).map(|at| Affine::from_isl(&coordinate(at)?));
                Ok((set, affine.collect::<Result<_>>()?))
            })
            .collect()
    }
}
