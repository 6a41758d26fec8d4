//! Whole-system tests of `toolkit`.

pub mod strict;
