//! Queries to Z3: two translations, and the functions of the library.

pub(crate) mod bits;
pub(crate) mod integers;
pub(crate) mod script;
pub(crate) mod z3;
pub(crate) mod z3_api;
pub(crate) mod z3_room;
