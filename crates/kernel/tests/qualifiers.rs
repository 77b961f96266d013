//! What the spelling of a type says, and what only its name does.

use lockstep_kernel::is_restrict;

#[test]
fn a_qualifier_is_no_part_of_a_name() {
    assert!(is_restrict("float *restrict") && is_restrict("float const* __restrict__"));
    assert!(is_restrict("int * restrict"));
    assert!(!is_restrict("restrict_t *") && !is_restrict("my_restrict"));
    assert!(!is_restrict("int *__restrict__ *"));
}
