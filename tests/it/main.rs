//! End-to-end tests against servers: misbehaving ones of ours, real ones from the registries.

#[cfg(test)]
mod misbehaving;
#[cfg(test)]
mod official_clients;
#[cfg(test)]
mod real_servers;
#[cfg(test)]
mod util;
