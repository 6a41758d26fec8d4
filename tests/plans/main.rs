//! Plans: what each sentence of their documentation says.

#![forbid(unsafe_code)]
#![allow(missing_docs)]

mod checks;
mod data;
mod desk;
mod gates;
mod resumes;
mod runs;
