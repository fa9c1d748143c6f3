//! End-to-end tests against servers: misbehaving ones of ours, real ones from the registries.

#[cfg(test)]
mod misbehaving;
