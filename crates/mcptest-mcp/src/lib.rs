//! The servers.
