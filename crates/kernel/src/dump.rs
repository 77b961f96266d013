//! The textual form of a kernel, for people and for tests.
//!
//! One line an operation; accesses, barriers and fences end in their source
//! place. The form is for reading: nothing parses it.

use std::fmt::Write;

use crate::CopyDone;
use crate::{
    Barrier, BlockId, Elem, Inst, Kernel, LocId, Op, Operand, ParamKind, PrintArgs, Reg, SiteId,
    SiteKind, Terminator,
};

/// The whole kernel as text.
pub fn dump(kernel: &Kernel) -> String {
    let mut out = String::new();
    let d = Dumper { kernel };
    d.header(&mut out);
    for (i, block) in kernel.blocks.iter().enumerate() {
        let _ = writeln!(out, "{}:", d.block(BlockId(i as u32)));
        for phi in &block.phis {
            let incoming: Vec<String> = phi
                .incoming
                .iter()
                .map(|(b, o)| format!("{} from {}", d.operand(*o), d.block(*b)))
                .collect();
            let _ = writeln!(out, "  {} = phi {} {}", d.reg(phi.dst), phi.ty, incoming.join(", "));
        }
        for inst in &block.insts {
            let _ = writeln!(out, "  {}", d.inst(inst));
        }
        let _ = writeln!(out, "  {}", d.terminator(&block.term));
    }
    out.push_str("}\n");
    out
}

struct Dumper<'k> {
    kernel: &'k Kernel,
}

impl Dumper<'_> {
    fn header(&self, out: &mut String) {
        let k = self.kernel;
        let _ = writeln!(out, "kernel {} ({}) at {} {{", k.name, k.language, self.place(k.loc));
        for p in &k.params {
            let kind = match p.kind {
                ParamKind::Scalar { ty, count: 1 } => ty.to_string(),
                ParamKind::Scalar { ty, count } => format!("{count} x {ty}"),
                ParamKind::Buffer { space, elem, readonly } => {
                    let access = if readonly { "read-only " } else { "" };
                    format!("{access}{space} array of {}", elem_name(elem))
                }
                ParamKind::Local { elem } => format!("local array of {}", elem_name(elem)),
                ParamKind::Aggregate { size, .. } => format!("struct of {size} bytes"),
            };
            let _ = writeln!(out, "  param {} = {}: {kind}", self.reg(p.reg), p.name);
        }
        for (i, o) in k.objects.iter().enumerate() {
            let size = if o.dynamic { "dynamic".to_string() } else { format!("{} bytes", o.size) };
            let init = if o.init.is_some() { ", initialised" } else { "" };
            let _ = writeln!(
                out,
                "  object @{i} {}: {} array of {}, {size}{init}",
                o.name,
                o.space,
                elem_name(o.elem)
            );
        }
        for u in &k.unsupported {
            let _ = writeln!(out, "  unsupported {} at {}", u.what, self.place(u.loc));
        }
    }

    fn place(&self, loc: LocId) -> String {
        self.kernel
            .loc_chain(loc)
            .map(|l| {
                let file = self.kernel.files.get(l.file as usize).map_or("?", String::as_str);
                let file = file.rsplit('/').next().unwrap_or(file);
                format!("{file}:{}:{}", l.line, l.column)
            })
            .collect::<Vec<_>>()
            .join(" in ")
    }

    fn site(&self, id: SiteId) -> String {
        let s = self.kernel.site(id);
        let mut text = format!("#{}", id.0);
        if matches!(s.kind, SiteKind::Read | SiteKind::Write | SiteKind::Atomic) {
            let _ = write!(text, " {}", s.space);
            if let Some(through) = &s.through {
                let _ = write!(text, " {through}");
            }
            if s.volatile {
                text.push_str(" volatile");
            }
            if s.polling {
                text.push_str(" polling");
            }
        }
        format!("; {text} at {}", self.place(s.loc))
    }

    fn reg(&self, r: Reg) -> String {
        match self.kernel.reg_names.iter().find(|(n, _)| *n == r) {
            Some((_, name)) => format!("%{}.{name}", r.0),
            None => format!("%{}", r.0),
        }
    }

    fn block(&self, b: BlockId) -> String {
        let name = &self.kernel.block(b).name;
        if name.is_empty() { format!("b{}", b.0) } else { format!("b{}.{name}", b.0) }
    }

    fn operand(&self, o: Operand) -> String {
        match o {
            Operand::Reg(r) => self.reg(r),
            Operand::Imm(v) if v > u32::MAX as u64 => format!("{v:#x}"),
            Operand::Imm(v) => v.to_string(),
            Operand::Object(id, 0) => self.object(id.0),
            Operand::Object(id, offset) => format!("{}{offset:+}", self.object(id.0)),
            Operand::Undef => "undef".to_string(),
        }
    }

    fn object(&self, id: u32) -> String {
        format!("@{id}.{}", self.kernel.objects[id as usize].name)
    }

    fn list(&self, operands: &[Operand]) -> String {
        operands.iter().map(|o| self.operand(*o)).collect::<Vec<_>>().join(", ")
    }

    fn inst(&self, inst: &Inst) -> String {
        let body = self.op(&inst.op);
        match (inst.dst, inst.op.result_count()) {
            (Some(d), 0 | 1) => format!("{} = {body}", self.reg(d)),
            (Some(d), n) => {
                let regs: Vec<String> = (0..n).map(|i| self.reg(Reg(d.0 + i))).collect();
                format!("{} = {body}", regs.join(", "))
            }
            (None, _) => body,
        }
    }

    fn op(&self, op: &Op) -> String {
        let o = |x: &Operand| self.operand(*x);
        let lower = |x: &dyn std::fmt::Debug| format!("{x:?}").to_lowercase();
        match op {
            Op::Int { op, ty, a, b } => format!("{} {ty} {}, {}", lower(op), o(a), o(b)),
            Op::IntUn { op, ty, a } => format!("{} {ty} {}", lower(op), o(a)),
            Op::Funnel { left, ty, hi, lo, amount } => {
                let side = if *left { "left" } else { "right" };
                format!("funnel {side} {ty} {}:{}, {}", o(hi), o(lo), o(amount))
            }
            Op::Float { op, ty, a, b, .. } => format!("f{} {ty} {}, {}", lower(op), o(a), o(b)),
            Op::FloatUn { op, ty, a, .. } => format!("f{} {ty} {}", lower(op), o(a)),
            Op::Fma { ty, a, b, c, .. } => format!("fma {ty} {}, {}, {}", o(a), o(b), o(c)),
            Op::Math { f, ty, a, b } => format!("math {} {ty} {}, {}", lower(f), o(a), o(b)),
            Op::Cmp { op, ty, a, b } => format!("cmp {} {ty} {}, {}", lower(op), o(a), o(b)),
            Op::Cast { op, from, to, a } => format!("cast {} {from} {} to {to}", lower(op), o(a)),
            Op::Select { ty, cond, a, b } => {
                format!("select {ty} {} ? {} : {}", o(cond), o(a), o(b))
            }
            Op::Copy { ty, a } => format!("copy {ty} {}", o(a)),
            Op::Index { base, index, scale, offset } => {
                let mut text = format!("index {}", o(base));
                if *index != Operand::Imm(0) {
                    let _ = write!(text, " + {} * {scale}", o(index));
                }
                if *offset != 0 {
                    let _ = write!(text, " {offset:+}");
                }
                text
            }
            Op::Special(s) => format!("special {}", lower(s)),
            Op::Texel { image, coords, rank, unit, sampled } => {
                let at: Vec<String> = coords.iter().map(|(t, c)| format!("{t} {}", o(c))).collect();
                let (here, with) = at.split_at(usize::from(*rank).min(at.len()));
                let how = if *sampled { "sampled " } else { "" };
                let with = if with.is_empty() {
                    String::new()
                } else {
                    format!(" with {}", with.join(", "))
                };
                format!("texel {how}{} [{}]{with} of {unit} bytes", o(image), here.join(", "))
            }
            Op::ImageSize { image, rank, axis, .. } => {
                format!("image size {} axis {axis} of {rank}", o(image))
            }
            Op::Load { site, ty, count, addr } => {
                format!("load {count} x {ty} [{}] {}", o(addr), self.site(*site))
            }
            Op::Store { site, ty, values, addr } => {
                format!("store {ty} {} to [{}] {}", self.list(values), o(addr), self.site(*site))
            }
            Op::Atomic { site, op, ty, addr, value, expected, order, scope } => format!(
                "atomic {} {ty} [{}] {}, {} {order} {scope} {}",
                lower(op),
                o(addr),
                o(value),
                o(expected),
                self.site(*site)
            ),
            Op::MemCopy { write, dst, src, len, done, .. } => {
                let how = match done {
                    CopyDone::AtOnce => String::new(),
                    CopyDone::Group { bulk: false } => "async ".into(),
                    CopyDone::Group { bulk: true } => "bulk ".into(),
                    CopyDone::Signal(at) => format!("bulk, signals [{}] ", o(at)),
                };
                let (dst, src, len) = (o(dst), o(src), o(len));
                format!("{how}memcopy [{dst}] from [{src}] {len} {}", self.site(*write))
            }
            Op::CommitCopies { bulk } => format!("commit {}copies", bulk_or(*bulk)),
            Op::AwaitCopies { left, bulk, reads_only } => {
                let what = if *reads_only { "reads of " } else { "" };
                format!("await {what}{}copies, {} left", bulk_or(*bulk), o(left))
            }
            Op::SignalCopies { addr } => format!("copies signal [{}]", o(addr)),
            Op::ProxyFence => "proxy fence".to_string(),
            Op::MemSet { site, dst, byte, len } => {
                format!("memset [{}] {} {} {}", o(dst), o(byte), o(len), self.site(*site))
            }
            Op::GroupCopy { write, dst, src, count, size, .. } => format!(
                "groupcopy [{}] from [{}] {} x {size} {}",
                o(dst),
                o(src),
                o(count),
                self.site(*write)
            ),
            Op::Alloc { size } => format!("alloc {}", o(size)),
            Op::Free { ptr } => format!("free [{}]", o(ptr)),
            Op::Fence { site, scope, order, .. } => {
                format!("fence {scope} {order} {}", self.site(*site))
            }
            Op::Barrier { site, barrier } => {
                format!("barrier {} {}", self.barrier(barrier), self.site(*site))
            }
            Op::Shuffle { mode, ty, value, lane, clamp, mask, .. } => format!(
                "shuffle {} {ty} {}, {}, {} mask {}",
                lower(mode),
                o(value),
                o(lane),
                o(clamp),
                mask.as_ref().map_or("active".to_string(), o)
            ),
            Op::Vote { kind, pred, mask } => format!(
                "vote {} {} mask {}",
                lower(kind),
                o(pred),
                mask.as_ref().map_or("active".to_string(), o)
            ),
            Op::Match { all, ty, value, mask } => {
                format!(
                    "match {} {ty} {} mask {}",
                    if *all { "all" } else { "any" },
                    o(value),
                    o(mask)
                )
            }
            Op::MatrixProduct { product: p, a, b, c } => format!(
                "matrix product {}x8x{} {:?} {:?} {} {} * {} + {}",
                p.rows,
                p.depth,
                p.a,
                p.b,
                p.sum,
                self.list(a),
                self.list(b),
                self.list(c)
            ),
            Op::ActiveMask => "activemask".to_string(),
            Op::Print { format, args } => match args {
                PrintArgs::Buffer(b) => format!("print {}, buffer {}", o(format), o(b)),
                PrintArgs::Values(vs) => {
                    let values: Vec<String> =
                        vs.iter().map(|v| format!("{} {}", v.ty, self.list(&v.lanes))).collect();
                    format!("print {}, {}", o(format), values.join("; "))
                }
            },
            Op::Assert { cond, message } => format!("assert {} {message:?}", o(cond)),
            Op::Requires { cond, text } => format!("requires {} {text:?}", o(cond)),
            Op::Yield => "yield".to_string(),
            Op::Foreign { what, .. } => {
                format!("foreign {}", self.kernel.unsupported[*what as usize].what)
            }
            Op::Unsupported(id) => {
                format!("unsupported {}", self.kernel.unsupported[*id as usize].what)
            }
        }
    }

    fn barrier(&self, b: &Barrier) -> String {
        match b {
            Barrier::Block { id, threads, orders_shared, orders_global, reduce } => {
                let mut text = format!("block {}", self.operand(*id));
                if let Some(t) = threads {
                    let _ = write!(text, " of {}", self.operand(*t));
                }
                match (orders_shared, orders_global) {
                    (true, true) => {}
                    (true, false) => text.push_str(" shared only"),
                    (false, true) => text.push_str(" global only"),
                    (false, false) => text.push_str(" no memory"),
                }
                if let Some((r, p)) = reduce {
                    let _ =
                        write!(text, " {} {}", format!("{r:?}").to_lowercase(), self.operand(*p));
                }
                text
            }
            Barrier::Arrive { id, threads } => {
                format!("arrive {} of {}", self.operand(*id), self.operand(*threads))
            }
            Barrier::Await { id } => format!("await {}", self.operand(*id)),
            Barrier::Warp { mask } => format!("warp mask {}", self.operand(*mask)),
            Barrier::Grid => "grid".to_string(),
            Barrier::GroupCopies { all: true, .. } => "group copies".to_string(),
            Barrier::GroupCopies { all: false, .. } => "some group copies".to_string(),
        }
    }

    fn terminator(&self, t: &Terminator) -> String {
        match t {
            Terminator::Jump(b) => format!("jump {}", self.block(*b)),
            Terminator::Branch { cond, then, otherwise, .. } => format!(
                "branch {} ? {} : {}",
                self.operand(*cond),
                self.block(*then),
                self.block(*otherwise)
            ),
            Terminator::Return => "return".to_string(),
            Terminator::Unreachable => "unreachable".to_string(),
        }
    }
}

fn elem_name(elem: Elem) -> String {
    match elem {
        Elem::Scalar(t) => t.to_string(),
        Elem::Bytes(n) => format!("{n} bytes"),
    }
}

fn bulk_or(bulk: bool) -> &'static str {
    if bulk { "bulk " } else { "" }
}
