//! Litmus tests of OpenCL, as Dat3M writes them: each thread a function in C over pointers, at a place in work-groups and
//! devices.
//!
//! ```text
//! OPENCL MP
//! { [x] = 0; [y] = 0; }
//! P0@wg 0, dev 0 (global int* x, global atomic_int* y) {
//!   *x = 1;
//!   atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);
//! }
//! P1@wg 1, dev 0 (global int* x, global atomic_int* y) {
//!   int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);
//!   if (r0 == 1) { int r1 = *x; }
//! }
//! exists (1:r0 = 1 /\ 1:r1 = 0)
//! ```

use super::lexer::{Cursor, Token, tokens};
use super::{Test, Unreadable, assertion};
use crate::program::{
    Address, Barrier, Code, Expr, Instr, Op, Order, Participants, Place, Program, Reg, Scope,
    Space, Spaces, Strength, Thread, Update,
};

pub fn read(text: &str) -> Result<Test, Unreadable> {
    let tokens = tokens(text)?;
    let brace = |sign| tokens.iter().position(|token| *token == Token::Sign(sign));
    let (Some(begin), Some(end)) = (brace("{"), brace("}")) else {
        return Err(Unreadable::Malformed("no declarations in braces".to_string()));
    };
    let mut program = Program::default();
    if let Some(Token::Word(name)) = tokens.get(1) {
        program.name = name.clone();
    }
    declarations(&tokens[begin + 1..end], &mut program)?;
    let mut cursor = Cursor::new(&tokens[end + 1..]);
    cursor.sign(";");
    let mut barriers = Vec::new();
    while matches!(cursor.peek_at(1), Some(Token::Sign("@"))) {
        thread(&mut cursor, &mut program, &mut barriers)?;
    }
    let (filter, quantifier, condition) = assertion::read(&mut cursor, &mut program)?;
    Ok(Test { program, quantifier, condition, filter })
}

/// Operators, those that bind weakest first.
const LEVELS: [&[(&str, Op)]; 4] = [
    &[("||", Op::Or), ("&&", Op::And)],
    &[("==", Op::Eq), ("!=", Op::Ne), ("<=", Op::Le), (">=", Op::Ge), ("<", Op::Lt), (">", Op::Gt)],
    &[("|", Op::Or), ("&", Op::And), ("^", Op::Xor)],
    &[("+", Op::Add), ("-", Op::Sub)],
];

/// `[x] = 0; y = 1;`
fn declarations(tokens: &[Token], program: &mut Program) -> Result<(), Unreadable> {
    let mut cursor = Cursor::new(tokens);
    while !cursor.ended() {
        if cursor.sign(";") || cursor.sign("[") || cursor.sign("]") {
            continue;
        }
        if assertion::thread_prefix(&mut cursor).is_some() {
            return Err(Unreadable::Unsupported("registers with first values".to_string()));
        }
        let mut name = cursor.any_word()?;
        if matches!(cursor.peek(), Some(Token::Word(_))) {
            // That was a type.
            name = cursor.any_word()?;
        }
        if cursor.is_sign("[") {
            return Err(Unreadable::Unsupported("arrays".to_string()));
        }
        let location = program.location(name);
        cursor.sign("]");
        if cursor.sign("=") {
            program.locations[location].initial = cursor.number()?;
        }
    }
    Ok(())
}

/// `P0@wg 0, dev 0 (global atomic_int* x) { … }`
fn thread(
    cursor: &mut Cursor<'_>,
    program: &mut Program,
    barriers: &mut Vec<String>,
) -> Result<(), Unreadable> {
    let name = cursor.any_word()?.to_string();
    cursor.expect("@")?;
    cursor.word("wg");
    let block = cursor.number()? as u32;
    cursor.expect(",")?;
    cursor.word("dev");
    let device = cursor.number()? as u32;
    let place = Place { device, cluster: block, block, warp: program.threads.len() as u32 };
    let mut builder =
        Builder { program, barriers, code: Code::default(), pointers: Vec::new(), temporaries: 0 };
    cursor.expect("(")?;
    let mut start = Vec::new();
    while !cursor.sign(")") {
        builder.parameter(cursor, &mut start)?;
        cursor.sign(",");
    }
    builder.block(cursor)?;
    let code = builder.code;
    program.threads.push(Thread { name, place, code: program.codes.len(), start });
    program.codes.push(code);
    Ok(())
}

struct Builder<'a> {
    program: &'a mut Program,
    barriers: &'a mut Vec<String>,
    code: Code,
    pointers: Vec<(String, usize)>,
    temporaries: usize,
}

impl Builder<'_> {
    fn parameter(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: &mut Vec<i64>,
    ) -> Result<(), Unreadable> {
        let (mut space, mut atomic) = (Space::Generic, false);
        while !cursor.sign("*") {
            match cursor.any_word()? {
                "global" | "__global" => space = Space::Global,
                "local" | "__local" => space = Space::Shared,
                "atomic_int" => atomic = true,
                "int" | "volatile" => {}
                other => {
                    return Err(Unreadable::Unsupported(format!("parameters of type {other}")));
                }
            }
        }
        let name = cursor.any_word()?;
        let location = self.program.location(name);
        let it = &mut self.program.locations[location];
        it.space = space;
        it.atomic &= atomic;
        // The pointer is a value, too, and not zero.
        let register = self.code.register(name);
        start.resize(register.0 + 1, 0);
        start[register.0] = 0x1000 + location as i64;
        self.pointers.push((name.to_string(), location));
        Ok(())
    }

    /// A statement, or several in braces.
    fn block(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Unreadable> {
        if !cursor.sign("{") {
            return self.statement(cursor);
        }
        while !cursor.sign("}") {
            if cursor.ended() {
                return Err(cursor.unexpected("}"));
            }
            self.statement(cursor)?;
        }
        Ok(())
    }

    fn statement(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Unreadable> {
        if cursor.sign(";") {
            return Ok(());
        }
        if cursor.is_sign("{") {
            return self.block(cursor);
        }
        if cursor.word("if") {
            let skip = self.unless(cursor)?;
            self.block(cursor)?;
            if cursor.word("else") {
                let over = self.emit(Instr::Jump { target: 0 });
                self.aim(skip);
                self.block(cursor)?;
                self.aim(over);
            } else {
                self.aim(skip);
            }
            return Ok(());
        }
        if cursor.word("while") {
            let head = self.code.instrs.len();
            let leave = self.unless(cursor)?;
            self.block(cursor)?;
            self.emit(Instr::Jump { target: head });
            self.aim(leave);
            return Ok(());
        }
        if matches!(cursor.peek_at(1), Some(Token::Sign(":"))) {
            let label = cursor.any_word()?.to_string();
            cursor.expect(":")?;
            self.barrier(cursor, &label)?;
        } else if cursor.is_word("atomic_work_item_fence") {
            self.fence(cursor)?;
        } else if cursor.is_sign("*") {
            cursor.expect("*")?;
            let at = self.pointer(cursor)?;
            cursor.expect("=")?;
            let value = self.expression(cursor)?;
            self.emit(Instr::Store { at, value, strength: Strength::Weak });
        } else if cursor.word("int") {
            let dst = self.code.register(cursor.any_word()?);
            if cursor.sign("=") {
                let value = self.expression(cursor)?;
                self.emit(Instr::Let { dst, value });
            }
        } else if matches!(cursor.peek_at(1), Some(Token::Sign("="))) {
            let dst = self.code.register(cursor.any_word()?);
            cursor.expect("=")?;
            let value = self.expression(cursor)?;
            self.emit(Instr::Let { dst, value });
        } else {
            self.expression(cursor)?;
        }
        cursor.expect(";")
    }

    /// `(condition)`: a jump that is taken where it does not hold.
    fn unless(&mut self, cursor: &mut Cursor<'_>) -> Result<usize, Unreadable> {
        cursor.expect("(")?;
        let condition = self.expression(cursor)?;
        cursor.expect(")")?;
        Ok(self.emit(Instr::Branch { condition: Expr::apply(Op::Eq, condition, 0), target: 0 }))
    }

    fn emit(&mut self, instr: Instr) -> usize {
        self.code.instrs.push(instr);
        self.code.instrs.len() - 1
    }

    /// Lets a jump go to what comes next.
    fn aim(&mut self, jump: usize) {
        let next = self.code.instrs.len();
        if let Some(target) = self.code.instrs[jump].target_mut() {
            *target = next;
        }
    }

    fn temporary(&mut self) -> Reg {
        self.temporaries += 1;
        self.code.register(&format!("${}", self.temporaries))
    }

    fn pointer(&mut self, cursor: &mut Cursor<'_>) -> Result<Address, Unreadable> {
        let name = cursor.any_word()?;
        let found = self.pointers.iter().find(|(pointer, _)| pointer == name);
        let (_, location) =
            found.ok_or_else(|| Unreadable::Unsupported(format!("{name} as a pointer")))?;
        Ok(Address::location(*location))
    }

    fn expression(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, Unreadable> {
        self.level(cursor, &LEVELS)
    }

    fn level(
        &mut self,
        cursor: &mut Cursor<'_>,
        levels: &[&[(&str, Op)]],
    ) -> Result<Expr, Unreadable> {
        let Some((here, rest)) = levels.split_first() else { return self.operand(cursor) };
        let mut left = self.level(cursor, rest)?;
        while let Some(&(_, op)) = here.iter().find(|(sign, _)| cursor.sign(sign)) {
            let right = self.level(cursor, rest)?;
            let truth = |expr| Expr::apply(Op::Ne, expr, 0);
            left = match op {
                Op::And | Op::Or if levels.len() == LEVELS.len() => {
                    Expr::apply(op, truth(left), truth(right))
                }
                _ => Expr::apply(op, left, right),
            };
        }
        Ok(left)
    }

    fn operand(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, Unreadable> {
        if cursor.sign("(") {
            let expr = self.expression(cursor)?;
            cursor.expect(")")?;
            return Ok(expr);
        }
        if cursor.sign("!") {
            return Ok(Expr::apply(Op::Eq, self.operand(cursor)?, 0));
        }
        if cursor.sign("*") {
            let at = self.pointer(cursor)?;
            return Ok(self.load(at, Strength::Weak));
        }
        match cursor.peek() {
            Some(Token::Word(word)) if word.starts_with("atomic_") => self.atomic(cursor),
            Some(Token::Word(_)) => Ok(Expr::Reg(self.code.register(cursor.any_word()?))),
            _ => Ok(Expr::Const(cursor.number()?)),
        }
    }

    fn load(&mut self, at: Address, strength: Strength) -> Expr {
        let dst = self.temporary();
        self.emit(Instr::Load { dst, at, strength });
        Expr::Reg(dst)
    }

    fn atomic(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, Unreadable> {
        let name = cursor.any_word()?;
        let short = name.strip_suffix("_explicit").unwrap_or(name);
        cursor.expect("(")?;
        let at = self.pointer(cursor)?;
        let fetch = short.strip_prefix("atomic_fetch_");
        let result = match (short, fetch) {
            ("atomic_load", _) => {
                let (order, scope) = self.how(cursor)?;
                self.load(at, Strength::Strong(order, scope))
            }
            ("atomic_store", _) => {
                cursor.expect(",")?;
                let value = self.expression(cursor)?;
                let (order, scope) = self.how(cursor)?;
                self.emit(Instr::Store { at, value, strength: Strength::Strong(order, scope) });
                Expr::Const(0)
            }
            ("atomic_compare_exchange_strong" | "atomic_compare_exchange_weak", _) => {
                cursor.expect(",")?;
                return self.compare_exchange(cursor, at);
            }
            ("atomic_exchange", _) | (_, Some(_)) => {
                cursor.expect(",")?;
                let value = self.expression(cursor)?;
                let update = match fetch {
                    None => Update::Exchange(value),
                    Some("add") => Update::Apply(Op::Add, value),
                    Some("sub") => Update::Apply(Op::Sub, value),
                    Some("or") => Update::Apply(Op::Or, value),
                    Some("xor") => Update::Apply(Op::Xor, value),
                    Some("and") => Update::Apply(Op::And, value),
                    Some(_) => return Err(Unreadable::Unsupported(name.to_string())),
                };
                let (order, scope) = self.how(cursor)?;
                let dst = self.temporary();
                self.emit(Instr::Atomic { dst: Some(dst), at, update, order, scope });
                Expr::Reg(dst)
            }
            _ => return Err(Unreadable::Unsupported(name.to_string())),
        };
        cursor.expect(")")?;
        Ok(result)
    }

    /// What is expected is read from memory, and in case of failure the old value is written there.
    fn compare_exchange(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: Address,
    ) -> Result<Expr, Unreadable> {
        let expected_at = self.pointer(cursor)?;
        cursor.expect(",")?;
        let desired = self.expression(cursor)?;
        let (order, scope) = self.how(cursor)?;
        cursor.expect(")")?;
        let expected = self.load(expected_at.clone(), Strength::Weak);
        let old = self.temporary();
        let update = Update::CompareExchange {
            expected: expected.clone(),
            desired,
            writes_only_success: true,
        };
        self.emit(Instr::Atomic { dst: Some(old), at, update, order, scope });
        let done = Expr::apply(Op::Eq, old, expected);
        let skip = self.emit(Instr::Branch { condition: done.clone(), target: 0 });
        self.emit(Instr::Store {
            at: expected_at,
            value: Expr::Reg(old),
            strength: Strength::Weak,
        });
        self.aim(skip);
        Ok(done)
    }

    /// Orders and a scope, if they are given. Of two orders, the first counts.
    fn how(&mut self, cursor: &mut Cursor<'_>) -> Result<(Order, Scope), Unreadable> {
        let (mut order, mut scope) = (None, Scope::Device);
        while cursor.sign(",") {
            let word = cursor.any_word()?;
            if let Some(found) = order_named(word) {
                order.get_or_insert(found);
            } else {
                scope = scope_named(word)
                    .ok_or_else(|| Unreadable::Malformed(format!("order or scope {word}")))?;
            }
        }
        Ok((order.unwrap_or(Order::SeqCst), scope))
    }

    fn spaces(&mut self, cursor: &mut Cursor<'_>) -> Result<Spaces, Unreadable> {
        let mut spaces = Spaces { global: false, shared: false };
        loop {
            match cursor.any_word()? {
                "CLK_GLOBAL_MEM_FENCE" => spaces.global = true,
                "CLK_LOCAL_MEM_FENCE" => spaces.shared = true,
                other => return Err(Unreadable::Unsupported(other.to_string())),
            }
            if !cursor.sign("|") {
                return Ok(spaces);
            }
        }
    }

    fn fence(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Unreadable> {
        cursor.any_word()?;
        cursor.expect("(")?;
        let spaces = self.spaces(cursor)?;
        let (order, scope) = self.how(cursor)?;
        cursor.expect(")")?;
        self.emit(Instr::Fence { order, scope, spaces });
        Ok(())
    }

    fn barrier(&mut self, cursor: &mut Cursor<'_>, label: &str) -> Result<(), Unreadable> {
        if !cursor.word("barrier") {
            return Err(cursor.unexpected("barrier"));
        }
        cursor.expect("(")?;
        let spaces = self.spaces(cursor)?;
        let (_, scope) = self.how(cursor)?;
        cursor.expect(")")?;
        if !matches!(scope, Scope::Device | Scope::Block) {
            return Err(Unreadable::Unsupported("barriers of other scopes".to_string()));
        }
        let known = self.barriers.iter().position(|other| other == label);
        let number = known.unwrap_or_else(|| {
            self.barriers.push(label.to_string());
            self.barriers.len() - 1
        }) as u32;
        let participants = Participants::Having;
        let id = Expr::Const(0);
        self.emit(Instr::Barrier(Barrier {
            number,
            id,
            participants,
            domain: Scope::Block,
            spaces,
            gather: None,
            arrive: false,
        }));
        Ok(())
    }
}

fn order_named(word: &str) -> Option<Order> {
    Some(match word.strip_prefix("memory_order_")? {
        "relaxed" => Order::Relaxed,
        "acquire" => Order::Acquire,
        "release" => Order::Release,
        "acq_rel" => Order::AcqRel,
        "seq_cst" => Order::SeqCst,
        _ => return None,
    })
}

fn scope_named(word: &str) -> Option<Scope> {
    Some(match word.strip_prefix("memory_scope_")? {
        "work_item" => Scope::Thread,
        "work_group" => Scope::Block,
        "device" => Scope::Device,
        "all_svm_devices" => Scope::System,
        _ => return None,
    })
}
