//! Exact rationals, symbolic expressions, exact linear programming and rational subspaces.
