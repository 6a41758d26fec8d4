//! Whole-system tests of `toolkit`.
