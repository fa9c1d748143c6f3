//! The mock.
