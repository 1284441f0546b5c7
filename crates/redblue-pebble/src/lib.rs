//! Computation graphs, pebble games, their referee and exact optima.
