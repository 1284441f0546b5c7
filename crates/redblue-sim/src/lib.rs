//! Traces and cache simulators.
