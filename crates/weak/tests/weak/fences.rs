//! Fences are put where they belong, and those that do nothing are told.

use lockstep_weak::fences::{Insertion, Repair, Worth, judge_fences, place};
use lockstep_weak::litmus::{Quantifier, Test, read_ptx};
use lockstep_weak::model::{Model, Ptx};
use lockstep_weak::program::{Order, Scope};
use lockstep_weak::{Failure, Limits, find};

const MODEL: &dyn Model = &Ptx::DOCUMENTED;

fn read(text: &str) -> Test {
    read_ptx(text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

/// What the test says must not happen, must not happen: where do fences belong?
fn repair(text: &str, race: bool) -> Repair {
    let test = read(text);
    let failure = if race {
        Failure::Race
    } else {
        assert_eq!(test.quantifier, Quantifier::NotExists);
        Failure::Reaches(test.condition)
    };
    let repair = place(&test.program, MODEL, Limits::default(), std::slice::from_ref(&failure));
    if let Repair::Fences { repaired, .. } = &repair {
        let again = find(repaired, MODEL, Limits::default(), &[failure]);
        assert_eq!(again.possible(), Some(false), "what is returned works");
    }
    repair
}

fn insertions(text: &str, race: bool) -> Vec<Insertion> {
    match repair(text, race) {
        Repair::Fences { insertions, smallest, .. } => {
            assert!(smallest);
            insertions
        }
        other => panic!("{other:?}"),
    }
}

fn fence(code: usize, at: usize, order: Order, scope: Scope) -> Insertion {
    Insertion { code, at, order, scope }
}

#[test]
fn message_passing_needs_one_fence_on_each_side() {
    let text = r"PTX mp { x=0; f=0; }
        P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
        st.weak x, 1         | LC0:                  ;
        st.relaxed.gpu f, 1  | ld.relaxed.gpu r0, f  ;
                             | beq r0, 0, LC0        ;
                             | ld.weak r1, x         ;
        ~exists (P1:r1 == 0)";
    let expected =
        [fence(0, 1, Order::AcqRel, Scope::Device), fence(1, 2, Order::AcqRel, Scope::Device)];
    assert_eq!(insertions(text, true), expected);
    assert_eq!(insertions(text, false), expected);
    // Within a block, the narrowest scope does.
    let expected = expected.map(|insertion| Insertion { scope: Scope::Block, ..insertion });
    assert_eq!(insertions(&text.replace("P1@cta 1", "P1@cta 0"), true), expected);
}

#[test]
fn a_missing_acquire_needs_one_fence() {
    let text = r"PTX mp { x=0; f=0; }
        P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
        st.weak x, 1         | LC0:                  ;
        st.release.gpu f, 1  | ld.relaxed.gpu r0, f  ;
                             | beq r0, 0, LC0        ;
                             | ld.weak r1, x         ;
        ~exists (P1:r1 == 0)";
    assert_eq!(insertions(text, true), [fence(1, 2, Order::AcqRel, Scope::Device)]);
}

#[test]
fn store_buffering_needs_sequentially_consistent_fences() {
    let text = r"PTX sb { x=0; y=0; }
        P0@cta 0,gpu 0         | P1@cta 1,gpu 0         ;
        st.relaxed.gpu x, 1    | st.relaxed.gpu y, 1    ;
        ld.relaxed.gpu r0, y   | ld.relaxed.gpu r0, x   ;
        ~exists (P0:r0 == 0 /\ P1:r0 == 0)";
    let expected =
        [fence(0, 1, Order::SeqCst, Scope::Device), fence(1, 1, Order::SeqCst, Scope::Device)];
    assert_eq!(insertions(text, false), expected);
}

#[test]
fn three_fences_where_three_are_needed() {
    let text = r"PTX isa2 { x=0; y=0; z=0; }
        P0@cta 0,gpu 0       | P1@cta 1,gpu 0        | P2@cta 2,gpu 0        ;
        st.weak x, 1         | ld.relaxed.gpu r0, y  | ld.relaxed.gpu r0, z  ;
        st.relaxed.gpu y, 1  | st.relaxed.gpu z, 1   | ld.weak r1, x         ;
        ~exists (P1:r0 == 1 /\ P2:r0 == 1 /\ P2:r1 == 0)";
    let expected = [0, 1, 2].map(|code| fence(code, 1, Order::AcqRel, Scope::Device));
    assert_eq!(insertions(text, false), expected);
}

#[test]
fn fences_do_not_mend_a_weak_flag() {
    let text = r"PTX mp { x=0; f=0; }
        P0@cta 0,gpu 0  | P1@cta 1,gpu 0   ;
        st.weak x, 1    | LC0:             ;
        st.weak f, 1    | ld.weak r0, f    ;
                        | beq r0, 0, LC0   ;
                        | ld.weak r1, x    ;
        ~exists (P1:r1 == 0)";
    assert!(matches!(repair(text, true), Repair::Hopeless(_)));
}

#[test]
fn what_is_right_needs_nothing() {
    let text = r"PTX mp { x=0; f=0; }
        P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
        st.weak x, 1         | ld.acquire.gpu r0, f  ;
        st.release.gpu f, 1  | ld.weak r1, x         ;
        ~exists (P1:r0 == 1 /\ P1:r1 == 0)";
    assert!(matches!(repair(text, false), Repair::NotNeeded));
}

fn worths(text: &str) -> Vec<(usize, usize, Worth, bool)> {
    let uses = judge_fences(&read(text).program, MODEL, Limits::default());
    uses.into_iter().map(|u| (u.code, u.at, u.worth, u.removed_together)).collect()
}

#[test]
fn fences_that_do_nothing_are_told_from_those_that_are_needed() {
    let text = r"PTX mp { x=0; f=0; }
        P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
        fence.acq_rel.gpu    | LC0:                  ;
        st.weak x, 1         | ld.relaxed.gpu r0, f  ;
        fence.acq_rel.gpu    | beq r0, 0, LC0        ;
        st.relaxed.gpu f, 1  | fence.sc.sys          ;
                             | ld.weak r1, x         ;
        ~exists (P1:r1 == 0)";
    let expected = [
        (0, 0, Worth::Redundant, true),
        (0, 2, Worth::Needed, false),
        (1, 2, Worth::Stronger(Order::AcqRel, Scope::Device), false),
    ];
    assert_eq!(worths(text), expected);
}

#[test]
fn of_two_fences_in_a_row_one_can_go() {
    let text = r"PTX mp { x=0; f=0; }
        P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
        st.weak x, 1         | LC0:                  ;
        fence.acq_rel.gpu    | ld.acquire.gpu r0, f  ;
        fence.acq_rel.gpu    | beq r0, 0, LC0        ;
        st.relaxed.gpu f, 1  | ld.weak r1, x         ;
        ~exists (P1:r1 == 0)";
    assert_eq!(worths(text), [(0, 1, Worth::Redundant, true), (0, 2, Worth::Redundant, false)]);
}

#[test]
fn a_fence_before_a_barrier_serves_nobody_in_the_block() {
    let text = r"PTX bar { x=0; }
        P0@cta 0,gpu 0       | P1@cta 0,gpu 0  ;
        st.weak x, 1         | bar.cta.sync 0  ;
        fence.sc.gpu         | ld.weak r0, x   ;
        bar.cta.sync 0       |                 ;
        ~exists (P1:r0 == 0)";
    assert_eq!(worths(text), [(0, 1, Worth::Redundant, true)]);
}
