//! Reading traces, seen from outside.

#[cfg(test)]
mod chat;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod inputs;
#[cfg(test)]
mod stream;
#[cfg(test)]
mod surface;
#[cfg(test)]
mod tau_bench;
#[cfg(test)]
mod util;
