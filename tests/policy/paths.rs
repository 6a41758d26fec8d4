//! Hostile paths and good ones: through tools that open whatever they are given, with the rule
//! `only(…).when("path", under(…))` alone before them, and through tools with a `Root` and no rule.

mod good;
mod hostile;
mod kinds;
mod swapped;
mod tools;
mod tree;
