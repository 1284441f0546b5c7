//! Sets and maps over several spaces at once, such as all statements of a program.

use crate::context::Context;
use crate::error::Result;
use crate::handle::{Handle, calls, public_object};
use crate::map::Map;
use crate::set::Set;
use crate::space::Space;
use crate::sys;
use crate::text;

public_object! {
    /// A union of sets of different spaces.
    UnionSet(isl_union_set), isl_union_set_to_str
}

public_object! {
    /// A union of maps between different spaces.
    UnionMap(isl_union_map), isl_union_map_to_str
}

impl UnionSet {
    /// Reads isl notation.
    pub fn parse(context: &Context, source: &str) -> Result<UnionSet> {
        Ok(UnionSet(text::parse(
            context,
            source,
            sys::isl_union_set_read_from_str,
        )?))
    }

    /// The union of no sets.
    pub fn empty(context: &Context) -> Result<UnionSet> {
        Ok(UnionSet(no_params(context)?.map(sys::isl_union_set_empty)?))
    }

    /// The union of these sets.
    pub fn from_sets<'a>(
        context: &Context,
        sets: impl IntoIterator<Item = &'a Set>,
    ) -> Result<UnionSet> {
        sets.into_iter()
            .try_fold(UnionSet::empty(context)?, |union, set| {
                union.union(&UnionSet(set.0.map(sys::isl_union_set_from_set)?))
            })
    }

    /// The same points with fewer disjuncts if isl sees how.
    ///
    /// isl 0.25 now and then merges disjuncts with floors into something larger, so its answer is compared
    /// with the original and not taken when they differ.
    pub fn coalesce(&self) -> Result<UnionSet> {
        let merged = UnionSet(self.0.map(sys::isl_union_set_coalesce)?);
        Ok(if merged.is_equal(self)? {
            merged
        } else {
            self.clone()
        })
    }

    calls!(map UnionSet {
        /// In each space, the lexicographically least point.
        lexmin = isl_union_set_lexmin;
        /// In each space, the lexicographically greatest point.
        lexmax = isl_union_set_lexmax;
    });

    calls!(pair UnionSet -> UnionSet {
        /// Points in either.
        union = isl_union_set_union;
        /// Points in both.
        intersect = isl_union_set_intersect;
        /// Points in this set but not in the other.
        subtract = isl_union_set_subtract;
    });

    calls!(pair Set -> UnionSet {
        /// Restricts the parameters to a parameter set.
        intersect_params = isl_union_set_intersect_params;
        /// Simplifies for the parameters of a parameter set.
        gist_params = isl_union_set_gist_params;
    });

    calls!(pair UnionMap -> UnionSet {
        /// The image of this set.
        apply = isl_union_set_apply;
    });

    calls!(map UnionMap {
        /// The identity on this set.
        identity = isl_union_set_identity;
        /// The map whose [`UnionMap::wrap`] is this set.
        unwrap_map = isl_union_set_unwrap;
    });

    calls!(ask {
        /// Whether there is no point at all.
        is_empty = isl_union_set_is_empty;
    });

    calls!(ask UnionSet {
        /// Whether both have the same points.
        is_equal = isl_union_set_is_equal;
        /// Whether every point is in the other set.
        is_subset = isl_union_set_is_subset;
        /// Whether no point is in both.
        is_disjoint = isl_union_set_is_disjoint;
    });

    /// The sets by space, in order of their tuple names.
    pub fn sets(&self) -> Result<Vec<Set>> {
        let list = self.0.get(sys::isl_union_set_get_set_list)?;
        let count = list.context().size(sys::isl_set_list_size(list.keep()))?;
        let item = |at| list.get(|l| sys::isl_set_list_get_at(l, at));
        let sets = (0..count).map(|at| Ok(Set(item(at as i32)?)));
        let mut sets = sets.collect::<Result<Vec<Set>>>()?;
        sets.sort_by_cached_key(|set| (set.tuple_name(), set.n_dim(), set.to_string()));
        Ok(sets)
    }

    /// The part in one set space, possibly empty.
    pub fn set_of(&self, space: &Space) -> Result<Set> {
        Ok(Set(self.0.get(|s| {
            sys::isl_union_set_extract_set(s, space.0.take())
        })?))
    }
}

impl UnionMap {
    /// Reads isl notation.
    pub fn parse(context: &Context, source: &str) -> Result<UnionMap> {
        Ok(UnionMap(text::parse(
            context,
            source,
            sys::isl_union_map_read_from_str,
        )?))
    }

    /// The union of no maps.
    pub fn empty(context: &Context) -> Result<UnionMap> {
        Ok(UnionMap(no_params(context)?.map(sys::isl_union_map_empty)?))
    }

    /// The union of these maps.
    pub fn from_maps<'a>(
        context: &Context,
        maps: impl IntoIterator<Item = &'a Map>,
    ) -> Result<UnionMap> {
        maps.into_iter()
            .try_fold(UnionMap::empty(context)?, |union, map| {
                union.union(&UnionMap(map.0.map(sys::isl_union_map_from_map)?))
            })
    }

    /// The same pairs with fewer disjuncts if isl sees how.
    ///
    /// isl 0.25 now and then merges disjuncts with floors into something larger, so its answer is compared
    /// with the original and not taken when they differ.
    pub fn coalesce(&self) -> Result<UnionMap> {
        let merged = UnionMap(self.0.map(sys::isl_union_map_coalesce)?);
        Ok(if merged.is_equal(self)? {
            merged
        } else {
            self.clone()
        })
    }

    calls!(map UnionMap {
        /// The pairs turned around.
        reverse = isl_union_map_reverse;
        /// For every element, its lexicographically least image in each space.
        lexmin = isl_union_map_lexmin;
        /// For every element, its lexicographically greatest image in each space.
        lexmax = isl_union_map_lexmax;
        /// From wrapped pairs to their first element.
        domain_map = isl_union_map_domain_map;
        /// From wrapped pairs to their second element.
        range_map = isl_union_map_range_map;
        /// `[A -> B] -> C` to `A -> C`.
        domain_factor_domain = isl_union_map_domain_factor_domain;
        /// `[A -> B] -> C` to `B -> C`.
        domain_factor_range = isl_union_map_domain_factor_range;
        /// `A -> [B -> C]` to `A -> B`.
        range_factor_domain = isl_union_map_range_factor_domain;
        /// `A -> [B -> C]` to `A -> C`.
        range_factor_range = isl_union_map_range_factor_range;
        /// `[A -> B] -> C` to `A -> [B -> C]`.
        curry = isl_union_map_curry;
        /// `A -> [B -> C]` to `[A -> B] -> C`.
        uncurry = isl_union_map_uncurry;
    });

    calls!(pair UnionMap -> UnionMap {
        /// Pairs in either.
        union = isl_union_map_union;
        /// Pairs in both.
        intersect = isl_union_map_intersect;
        /// Pairs in this map but not in the other.
        subtract = isl_union_map_subtract;
        /// Composition: first this map, then the other.
        apply_range = isl_union_map_apply_range;
        /// Replaces the domain by its image under the other map.
        apply_domain = isl_union_map_apply_domain;
        /// `A -> B` and `A -> C` to `A -> [B -> C]`.
        range_product = isl_union_map_range_product;
        /// `A -> B` and `A -> C` to `A -> BC`, one flat tuple.
        flat_range_product = isl_union_map_flat_range_product;
        /// `A -> C` and `B -> C` to `[A -> B] -> C`.
        domain_product = isl_union_map_domain_product;
    });

    calls!(pair UnionSet -> UnionMap {
        /// Restricts the first elements.
        intersect_domain = isl_union_map_intersect_domain;
        /// Restricts the second elements.
        intersect_range = isl_union_map_intersect_range;
        /// Removes pairs whose first element is in the set.
        subtract_domain = isl_union_map_subtract_domain;
        /// Removes pairs whose second element is in the set.
        subtract_range = isl_union_map_subtract_range;
        /// A simpler map that agrees with this one on the given domain.
        gist_domain = isl_union_map_gist_domain;
    });

    calls!(pair Set -> UnionMap {
        /// Restricts the parameters to a parameter set.
        intersect_params = isl_union_map_intersect_params;
        /// Simplifies for the parameters of a parameter set.
        gist_params = isl_union_map_gist_params;
    });

    calls!(map UnionSet {
        /// The first elements.
        domain = isl_union_map_domain;
        /// The second elements.
        range = isl_union_map_range;
        /// The pairs as sets of nested tuples.
        wrap = isl_union_map_wrap;
        /// The differences second minus first.
        deltas = isl_union_map_deltas;
    });

    calls!(ask {
        /// Whether there is no pair at all.
        is_empty = isl_union_map_is_empty;
        /// Whether every element has at most one image.
        is_single_valued = isl_union_map_is_single_valued;
        /// Whether every element is the image of at most one.
        is_injective = isl_union_map_is_injective;
    });

    calls!(ask UnionMap {
        /// Whether both have the same pairs.
        is_equal = isl_union_map_is_equal;
        /// Whether every pair is in the other map.
        is_subset = isl_union_map_is_subset;
        /// Whether no pair is in both.
        is_disjoint = isl_union_map_is_disjoint;
    });

    /// The maps by space, in order of their tuple names.
    pub fn maps(&self) -> Result<Vec<Map>> {
        let list = self.0.get(sys::isl_union_map_get_map_list)?;
        let count = list.context().size(sys::isl_map_list_size(list.keep()))?;
        let item = |at| list.get(|l| sys::isl_map_list_get_at(l, at));
        let maps = (0..count).map(|at| Ok(Map(item(at as i32)?)));
        let mut maps = maps.collect::<Result<Vec<Map>>>()?;
        maps.sort_by_cached_key(|map| (map.in_tuple(), map.out_tuple(), map.to_string()));
        Ok(maps)
    }

    /// The part in one map space, possibly empty.
    pub fn map_of(&self, space: &Space) -> Result<Map> {
        Ok(Map(self.0.get(|m| {
            sys::isl_union_map_extract_map(m, space.0.take())
        })?))
    }

    /// The map for one value of a parameter, which then is no parameter any more.
    pub fn fix_param(&self, name: &str, value: i64) -> Result<UnionMap> {
        let maps = self.maps()?;
        let fixed = maps.iter().map(|map| {
            let known = map.param_names().iter().any(|param| param == name);
            if known {
                map.fix_param(name, value)
            } else {
                Ok(map.clone())
            }
        });
        UnionMap::from_maps(self.context(), &fixed.collect::<Result<Vec<Map>>>()?)
    }
}

impl Set {
    /// This set as a union of one space.
    pub fn to_union(&self) -> Result<UnionSet> {
        Ok(UnionSet(self.0.map(sys::isl_union_set_from_set)?))
    }
}

impl Map {
    /// This map as a union of one space.
    pub fn to_union(&self) -> Result<UnionMap> {
        Ok(UnionMap(self.0.map(sys::isl_union_map_from_map)?))
    }
}

fn no_params(context: &Context) -> Result<Handle<sys::isl_space>> {
    Ok(Space::params::<&str>(context, &[])?.0)
}
