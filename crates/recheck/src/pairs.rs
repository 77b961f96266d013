//! Which pairs of accesses might race, as far as objects and kinds of accesses tell.

use lockstep_kernel::{Kernel, Scope, Space};

use crate::accesses::{Access, Object, Objects, is_struct, space_of};
use crate::log::Level;

/// Whether two pointers may point into one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    Never,
    /// As far as is known without looking at paths.
    Maybe,
    /// Both point into the same object, and nowhere else.
    Always,
}

/// Both atomic, of one width, with scopes that reach the other thread.
pub fn are_atomic(a: &Access, b: &Access, level: Level) -> bool {
    let needed = match level {
        Level::WithinBlock => Scope::Block,
        Level::AcrossBlocks => Scope::Device,
    };
    match (a.atomic, b.atomic) {
        (Some((s, n)), Some((t, m))) => s >= needed && t >= needed && n == m,
        _ => false,
    }
}

/// The memories in which two accesses of two threads may meet.
pub fn common_spaces(
    kernel: &Kernel,
    a: &Access,
    b: &Access,
    level: Level,
    may_alias: bool,
) -> Vec<Space> {
    let spaces: &[Space] = match level {
        Level::WithinBlock => &[Space::Global, Space::Shared],
        Level::AcrossBlocks => &[Space::Global],
    };
    let meets = |space: &Space| meet_in(kernel, a, b, *space, may_alias);
    spaces.iter().copied().filter(meets).collect()
}

/// Whether the two meet, and how surely.
pub fn meeting(kernel: &Kernel, a: &Access, b: &Access, level: Level, may_alias: bool) -> Meeting {
    if common_spaces(kernel, a, b, level, may_alias).is_empty() {
        return Meeting::Never;
    }
    let single = |o: &Objects| match (o.anything, o.known.len()) {
        (false, 1) => o.known.first().copied(),
        _ => None,
    };
    match (single(&a.objects), single(&b.objects)) {
        (Some(x), Some(y)) if x == y && !matches!(x, Object::Field(_)) => Meeting::Always,
        _ => Meeting::Maybe,
    }
}

/// Global memory and constant memory are one: the host may give one array for both.
fn is_in(object: Space, space: Space) -> bool {
    object == space || object == Space::Constant && space == Space::Global
}

fn meet_in(kernel: &Kernel, a: &Access, b: &Access, space: Space, may_alias: bool) -> bool {
    let counts = |o: &Object| is_in(space_of(kernel, *o), space) && !is_struct(kernel, *o);
    let anything =
        |x: &Access| x.objects.anything && (x.space == Space::Generic || is_in(x.space, space));
    let of =
        |x: &Access| -> Vec<Object> { x.objects.known.iter().copied().filter(counts).collect() };
    let (known_a, known_b) = (of(a), of(b));
    if anything(a) && (anything(b) || !known_b.is_empty()) || anything(b) && !known_a.is_empty() {
        return true;
    }
    known_a
        .iter()
        .any(|x| known_b.iter().any(|y| x == y || may_alias && may_be_one(kernel, *x, *y)))
}

/// Whether two objects may be one where pointers of a launch may point into one array, or into a variable.
fn may_be_one(kernel: &Kernel, a: Object, b: Object) -> bool {
    let is_given = |o: Object| {
        matches!(o, Object::Param(_) | Object::Field(_)) && space_of(kernel, o) != Space::Shared
    };
    let is_exported =
        |o: Object| matches!(o, Object::Static(id) if kernel.objects[id.0 as usize].exported);
    is_given(a) && (is_given(b) || is_exported(b)) || is_given(b) && is_exported(a)
}
