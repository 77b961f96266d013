//! The statement at the end of a litmus test: `exists`, `~exists` or `forall`, with a condition, perhaps after a filter.

use super::lexer::{Cursor, Token};
use super::{Quantifier, Unreadable};
use crate::condition::{Condition, Operand};
use crate::program::{Op, Program};

/// Reads what follows the program; registers that are asked about become observed.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    program: &mut Program,
) -> Result<(Option<Condition>, Quantifier, Condition), Unreadable> {
    if cursor.word("locations") {
        while !cursor.ended() && !cursor.sign("]") {
            cursor.next();
        }
    }
    let filter = if cursor.word("filter") {
        let filter = any(cursor, program)?;
        cursor.sign(";");
        Some(filter)
    } else {
        None
    };
    let quantifier = if cursor.sign("~") || cursor.word("not") {
        if !cursor.word("exists") {
            return Err(cursor.unexpected("exists"));
        }
        Quantifier::NotExists
    } else if cursor.word("exists") {
        Quantifier::Exists
    } else if cursor.word("forall") {
        Quantifier::Forall
    } else {
        return Err(cursor.unexpected("exists or forall"));
    };
    let condition = any(cursor, program)?;
    cursor.sign(";");
    if !cursor.ended() {
        return Err(cursor.unexpected("the end"));
    }
    for condition in filter.iter().chain([&condition]) {
        condition.operands(&mut |operand| {
            if let Operand::Register(thread, reg) = operand {
                let code = program.threads[*thread].code;
                let observed = &mut program.codes[code].observed;
                if !observed.contains(reg) {
                    observed.push(*reg);
                }
            }
        });
    }
    Ok((filter, quantifier, condition))
}

fn any(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<Condition, Unreadable> {
    let mut parts = vec![all(cursor, program)?];
    while cursor.sign("\\/") || cursor.sign("||") {
        parts.push(all(cursor, program)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::Any(parts) })
}

fn all(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<Condition, Unreadable> {
    let mut parts = vec![one(cursor, program)?];
    while cursor.sign("/\\") || cursor.sign("&&") {
        parts.push(one(cursor, program)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::All(parts) })
}

fn one(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<Condition, Unreadable> {
    if cursor.sign("~") || cursor.word("not") {
        return Ok(one(cursor, program)?.negated());
    }
    if cursor.sign("(") {
        let condition = any(cursor, program)?;
        cursor.expect(")")?;
        return Ok(condition);
    }
    let left = operand(cursor, program)?;
    let op = comparison(cursor)?;
    let right = operand(cursor, program)?;
    Ok(Condition::Compare(op, left, right))
}

pub(super) fn comparison(cursor: &mut Cursor<'_>) -> Result<Op, Unreadable> {
    let signs = [
        ("==", Op::Eq),
        ("=", Op::Eq),
        ("!=", Op::Ne),
        ("<=", Op::Le),
        (">=", Op::Ge),
        ("<", Op::Lt),
        (">", Op::Gt),
    ];
    let found = signs.iter().find(|(sign, _)| cursor.sign(sign));
    found.map(|&(_, op)| op).ok_or_else(|| cursor.unexpected("a comparison"))
}

fn operand(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<Operand, Unreadable> {
    if let Some(thread) = thread_prefix(cursor) {
        let register = cursor.any_word()?;
        let index = program.threads.iter().position(|other| other.name == format!("P{thread}"));
        let index = index.ok_or_else(|| Unreadable::Malformed(format!("no thread P{thread}")))?;
        let code = program.threads[index].code;
        return Ok(Operand::Register(index, program.codes[code].register(register)));
    }
    let bracket = cursor.sign("[");
    if matches!(cursor.peek(), Some(Token::Word(_))) {
        let location = location(cursor.any_word()?, program)?;
        if bracket {
            cursor.expect("]")?;
        } else if cursor.sign("[") {
            let index = cursor.number()?;
            cursor.expect("]")?;
            return Ok(Operand::Location(location + index as usize));
        }
        return Ok(Operand::Location(location));
    }
    Ok(Operand::Const(cursor.number()?))
}

fn location(name: &str, program: &Program) -> Result<usize, Unreadable> {
    let found = program.locations.iter().position(|location| location.name == name);
    found.ok_or_else(|| Unreadable::Malformed(format!("no location {name}")))
}

/// `P0:` or `0:`.
pub(super) fn thread_prefix(cursor: &mut Cursor<'_>) -> Option<u32> {
    let colon = matches!(cursor.peek_at(1), Some(Token::Sign(":")));
    let thread = match cursor.peek()? {
        Token::Number(thread) if colon => u32::try_from(*thread).ok()?,
        Token::Word(word) if colon => word.strip_prefix('P')?.parse().ok()?,
        _ => return None,
    };
    cursor.at += 2;
    Some(thread)
}
