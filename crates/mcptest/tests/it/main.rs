//! The binary, seen from outside: files and arguments in; exit code, stdout and stderr out.

#[cfg(test)]
mod assignment;
#[cfg(test)]
mod broken_input;
#[cfg(test)]
mod distractors;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod exit_codes;
#[cfg(test)]
mod floor;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod interrupts;
#[cfg(test)]
mod isolation;
#[cfg(test)]
mod mock;
#[cfg(test)]
mod mutate;
#[cfg(test)]
mod orchestration;
#[cfg(test)]
mod regressions;
#[cfg(test)]
mod reporters;
#[cfg(test)]
mod run_tools;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod selection;
#[cfg(test)]
mod tau_bench;
#[cfg(test)]
mod token_efficiency;
#[cfg(test)]
mod util;
