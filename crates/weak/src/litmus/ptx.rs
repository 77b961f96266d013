//! Litmus tests of PTX, as Dat3M writes them:
//!
//! ```text
//! PTX MP
//! { x=0; flag=0; P1:r1=0; }
//!  P0@cta 0,gpu 0          | P1@cta 1,gpu 0           ;
//!  st.weak x, 1            | ld.acquire.gpu r0, flag  ;
//!  st.release.gpu flag, 1  | ld.weak r1, x            ;
//! exists (P1:r0 == 1 /\ P1:r1 == 0)
//! ```
//!
//! Memory that is reached through other proxies (texture, surface, constant, aliases) is not modelled: such tests are
//! `Unsupported`.

use super::lexer::{Cursor, Token, tokens};
use super::{Test, Unreadable, assertion};
use crate::program::{
    Address, Barrier, Code, Expr, Instr, Op, Order, Participants, Place, Program, Scope, Spaces,
    Strength, Thread, Update,
};

pub fn read(text: &str) -> Result<Test, Unreadable> {
    let tokens = tokens(text)?;
    let brace = |sign| tokens.iter().position(|token| *token == Token::Sign(sign));
    let (Some(begin), Some(end)) = (brace("{"), brace("}")) else {
        return Err(Unreadable::Malformed("no declarations in braces".to_string()));
    };
    let name: String = tokens[1..begin].iter().map(text_of).collect();
    let mut program = Program { name, ..Program::default() };
    let mut starts = Vec::new();
    declarations(&tokens[begin + 1..end], &mut program, &mut starts)?;

    let mut cursor = Cursor::new(&tokens[end + 1..]);
    cursor.sign(";");
    threads(&mut cursor, &mut program)?;
    let mut labels: Vec<Vec<(String, usize)>> = vec![Vec::new(); program.threads.len()];
    let mut jumps: Vec<Vec<(usize, String)>> = vec![Vec::new(); program.threads.len()];
    while !["exists", "forall", "filter", "locations", "not"]
        .iter()
        .any(|word| cursor.is_word(word))
        && !cursor.is_sign("~")
        && !cursor.ended()
    {
        row(&mut cursor, &mut program, &mut labels, &mut jumps)?;
    }
    for (thread, jumps) in jumps.iter().enumerate() {
        for (pc, label) in jumps {
            let found = labels[thread].iter().find(|(name, _)| name == label);
            let (_, to) =
                found.ok_or_else(|| Unreadable::Malformed(format!("no label {label}")))?;
            if let Some(target) = program.codes[thread].instrs[*pc].target_mut() {
                *target = *to;
            }
        }
    }
    for (thread, register, value) in starts {
        let Some(index) = program.threads.iter().position(|t| t.name == format!("P{thread}"))
        else {
            continue;
        };
        let reg = program.codes[index].register(&register);
        let start = &mut program.threads[index].start;
        start.resize(start.len().max(reg.0 + 1), 0);
        start[reg.0] = value;
    }
    let (filter, quantifier, condition) = assertion::read(&mut cursor, &mut program)?;
    Ok(Test { program, quantifier, condition, filter })
}

fn text_of(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Number(number) => number.to_string(),
        Token::Sign(sign) => (*sign).to_string(),
    }
}

fn unsupported<T>(what: &str) -> Result<T, Unreadable> {
    Err(Unreadable::Unsupported(what.to_string()))
}

fn declarations(
    tokens: &[Token],
    program: &mut Program,
    starts: &mut Vec<(u32, String, i64)>,
) -> Result<(), Unreadable> {
    let mut cursor = Cursor::new(tokens);
    while !cursor.ended() {
        if cursor.sign(";") {
            continue;
        }
        if let Some(thread) = assertion::thread_prefix(&mut cursor) {
            let register = cursor.any_word()?.to_string();
            cursor.expect("=")?;
            if cursor.is_sign("&") || matches!(cursor.peek(), Some(Token::Word(_))) {
                return unsupported("addresses in registers");
            }
            starts.push((thread, register, cursor.number()?));
            continue;
        }
        let name = cursor.any_word()?;
        if cursor.is_sign("@") {
            return unsupported("proxies");
        }
        cursor.expect("=")?;
        if cursor.is_sign("&") || matches!(cursor.peek(), Some(Token::Word(_))) {
            return unsupported("two names of one location");
        }
        let value = cursor.number()?;
        let location = program.location(name);
        program.locations[location].initial = value;
    }
    Ok(())
}

/// `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`
fn threads(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<(), Unreadable> {
    loop {
        let name = cursor.any_word()?.to_string();
        cursor.expect("@")?;
        cursor.word("cta");
        let block = cursor.number()? as u32;
        cursor.expect(",")?;
        cursor.word("gpu");
        let device = cursor.number()? as u32;
        let place = Place { device, cluster: block, block, warp: program.threads.len() as u32 };
        program.threads.push(Thread { name, place, code: program.codes.len(), start: Vec::new() });
        program.codes.push(Code::default());
        if cursor.sign(";") {
            return Ok(());
        }
        cursor.expect("|")?;
    }
}

fn row(
    cursor: &mut Cursor<'_>,
    program: &mut Program,
    labels: &mut [Vec<(String, usize)>],
    jumps: &mut [Vec<(usize, String)>],
) -> Result<(), Unreadable> {
    let mut thread = 0;
    loop {
        if cursor.sign(";") {
            return Ok(());
        }
        if cursor.sign("|") {
            thread += 1;
            continue;
        }
        if thread >= program.threads.len() {
            return Err(cursor.unexpected("the end of a row"));
        }
        let word = cursor.any_word()?;
        if word.starts_with("LC") {
            cursor.expect(":")?;
            labels[thread].push((word.to_string(), program.codes[thread].instrs.len()));
            continue;
        }
        let (instr, jump) = instruction(word, cursor, program, thread)?;
        let instrs = &mut program.codes[thread].instrs;
        if let Some(label) = jump {
            jumps[thread].push((instrs.len(), label));
        }
        instrs.push(instr);
    }
}

fn instruction(
    word: &str,
    cursor: &mut Cursor<'_>,
    program: &mut Program,
    thread: usize,
) -> Result<(Instr, Option<String>), Unreadable> {
    let compare = |op| Some(op);
    let branch = match word {
        "beq" => compare(Op::Eq),
        "bne" => compare(Op::Ne),
        "bge" => compare(Op::Ge),
        "ble" => compare(Op::Le),
        "bgt" => compare(Op::Gt),
        "blt" => compare(Op::Lt),
        _ => None,
    };
    if let Some(op) = branch {
        let a = value(cursor, program, thread)?;
        cursor.expect(",")?;
        let b = value(cursor, program, thread)?;
        cursor.expect(",")?;
        let label = cursor.any_word()?.to_string();
        return Ok((Instr::Branch { condition: Expr::apply(op, a, b), target: 0 }, Some(label)));
    }
    if word == "goto" {
        return Ok((Instr::Jump { target: 0 }, Some(cursor.any_word()?.to_string())));
    }
    let instr = match word {
        "add" | "sub" | "mul" | "div" => {
            let op = operation(word).ok_or_else(|| cursor.unexpected("an operation"))?;
            let dst = program.codes[thread].register(cursor.any_word()?);
            cursor.expect(",")?;
            let a = value(cursor, program, thread)?;
            cursor.expect(",")?;
            let b = value(cursor, program, thread)?;
            Instr::Let { dst, value: Expr::apply(op, a, b) }
        }
        "ld" if !cursor.is_sign(".") => {
            let dst = program.codes[thread].register(cursor.any_word()?);
            cursor.expect(",")?;
            Instr::Let { dst, value: value(cursor, program, thread)? }
        }
        "ld" => {
            let strength = strength(cursor)?;
            let dst = program.codes[thread].register(cursor.any_word()?);
            cursor.expect(",")?;
            Instr::Load { dst, at: address(cursor, program)?, strength }
        }
        "st" => {
            let strength = strength(cursor)?;
            let at = address(cursor, program)?;
            cursor.expect(",")?;
            Instr::Store { at, value: value(cursor, program, thread)?, strength }
        }
        "fence" => {
            if matches!(cursor.peek_at(1), Some(Token::Word(word)) if word == "proxy") {
                return unsupported("proxies");
            }
            match strength(cursor)? {
                Strength::Strong(order, scope) => {
                    Instr::Fence { order, scope, spaces: Spaces::ALL }
                }
                Strength::Weak => return Err(cursor.unexpected("a fence")),
            }
        }
        "atom" | "red" => atomic(word == "atom", cursor, program, thread)?,
        "bar" => barrier(cursor, program, thread)?,
        "tld" | "suld" | "cold" | "sust" | "suatom" | "sured" => return unsupported("proxies"),
        _ => return Err(Unreadable::Malformed(format!("instruction {word}"))),
    };
    Ok((instr, None))
}

fn operation(word: &str) -> Option<Op> {
    Some(match word {
        "add" => Op::Add,
        "sub" => Op::Sub,
        "mul" => Op::Mul,
        "div" => Op::Div,
        "and" => Op::And,
        "or" => Op::Or,
        "xor" => Op::Xor,
        "min" => Op::Min,
        "max" => Op::Max,
        _ => return None,
    })
}

fn value(
    cursor: &mut Cursor<'_>,
    program: &mut Program,
    thread: usize,
) -> Result<Expr, Unreadable> {
    if matches!(cursor.peek(), Some(Token::Word(_))) {
        return Ok(Expr::Reg(program.codes[thread].register(cursor.any_word()?)));
    }
    Ok(Expr::Const(cursor.number()?))
}

fn address(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<Address, Unreadable> {
    Ok(Address::location(program.location(cursor.any_word()?)))
}

/// `.weak`, `.acquire.gpu` and the like.
fn strength(cursor: &mut Cursor<'_>) -> Result<Strength, Unreadable> {
    cursor.expect(".")?;
    let order = match cursor.any_word()? {
        "weak" => return Ok(Strength::Weak),
        "relaxed" => Order::Relaxed,
        "acquire" => Order::Acquire,
        "release" => Order::Release,
        "acq_rel" => Order::AcqRel,
        "sc" => Order::SeqCst,
        other => return Err(Unreadable::Malformed(format!("order {other}"))),
    };
    cursor.expect(".")?;
    let scope = match cursor.any_word()? {
        "cta" => Scope::Block,
        "cluster" => Scope::Cluster,
        "gpu" => Scope::Device,
        "sys" => Scope::System,
        other => return Err(Unreadable::Malformed(format!("scope {other}"))),
    };
    Ok(Strength::Strong(order, scope))
}

fn atomic(
    returns: bool,
    cursor: &mut Cursor<'_>,
    program: &mut Program,
    thread: usize,
) -> Result<Instr, Unreadable> {
    let Strength::Strong(order, scope) = strength(cursor)? else {
        return Err(cursor.unexpected("an order"));
    };
    cursor.expect(".")?;
    let word = cursor.any_word()?;
    let dst = if returns {
        let dst = program.codes[thread].register(cursor.any_word()?);
        cursor.expect(",")?;
        Some(dst)
    } else {
        None
    };
    let at = address(cursor, program)?;
    cursor.expect(",")?;
    let first = value(cursor, program, thread)?;
    let update = match word {
        "exch" => Update::Exchange(first),
        "cas" => {
            cursor.expect(",")?;
            Update::CompareExchange {
                expected: first,
                desired: value(cursor, program, thread)?,
                writes_only_success: false,
            }
        }
        _ => {
            let op = operation(word)
                .ok_or_else(|| Unreadable::Malformed(format!("operation {word}")))?;
            Update::Apply(op, first)
        }
    };
    Ok(Instr::Atomic { dst, at, update, order, scope })
}

/// `bar.cta.sync 1`, with a computed id, with a number of threads.
fn barrier(
    cursor: &mut Cursor<'_>,
    program: &mut Program,
    thread: usize,
) -> Result<Instr, Unreadable> {
    cursor.expect(".")?;
    cursor.word("cta");
    cursor.expect(".")?;
    let arrive = match cursor.any_word()? {
        "sync" => false,
        "arrive" => true,
        other => return Err(Unreadable::Malformed(format!("barrier {other}"))),
    };
    let number = cursor.number()? as u32;
    let mut id = Expr::Const(0);
    let mut participants = Participants::Having;
    if cursor.sign(",") {
        id = value(cursor, program, thread)?;
        if cursor.sign(",") {
            participants = Participants::Count(value(cursor, program, thread)?);
        }
    }
    Ok(Instr::Barrier(Barrier {
        number,
        id,
        participants,
        domain: Scope::Block,
        spaces: Spaces::ALL,
        gather: None,
        arrive,
    }))
}
