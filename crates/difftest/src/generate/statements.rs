//! Statements of a random kernel.

use super::{Generator, INT, Variable};

impl Generator {
    pub(super) fn statement(&mut self, depth: u32) {
        if self.fuel == 0 {
            return;
        }
        self.fuel -= 1;
        if depth == 0 {
            return self.assignment();
        }
        match self.random.below(14) {
            0 | 1 => {
                let condition = self.condition(1);
                self.open(&format!("if ({condition}) {{"));
                self.block(depth - 1);
                if self.random.chance(60) {
                    self.indent -= 1;
                    self.open("} else {");
                    self.block(depth - 1);
                }
                self.close();
            }
            2 => self.for_loop(depth),
            3 => self.while_loop(depth),
            4 => self.switch(depth),
            5 => self.array_store(),
            6 => self.declare(),
            _ => self.assignment(),
        }
    }

    /// A few statements whose declarations end with the block.
    pub(super) fn block(&mut self, depth: u32) {
        let (scope, arrays) = (self.scope.len(), self.arrays.len());
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        self.scope.truncate(scope);
        self.arrays.truncate(arrays);
    }

    pub(super) fn assignment(&mut self) {
        let targets: Vec<Variable> = self.scope.iter().filter(|v| v.assignable).cloned().collect();
        let target = self.random.pick(&targets).clone();
        if target.ty.lanes > 1 && self.random.chance(40) {
            let lane = self.random.below(target.ty.lanes as u64);
            let value = self.expr(target.ty.scalar(), 3);
            return self.line(&format!("{}.s{lane} = {value};", target.name));
        }
        let value = self.expr(target.ty, 3);
        self.line(&format!("{} = {value};", target.name));
    }

    pub(super) fn declare(&mut self) {
        let ty = self.any_ty();
        let name = self.fresh("v");
        let value = self.expr(ty, 2);
        self.line(&format!("{} {name} = {value};", ty.name()));
        self.scope.push(Variable { name, ty, assignable: true });
    }

    pub(super) fn array_store(&mut self) {
        if self.arrays.is_empty() {
            return self.assignment();
        }
        let (name, ty, len) = self.random.pick(&self.arrays.clone()).clone();
        let (index, value) = (self.expr(INT, 1), self.expr(ty, 2));
        self.line(&format!("{name}[({index}) & {}] = {value};", len - 1));
    }

    pub(super) fn for_loop(&mut self, depth: u32) {
        let counter = self.fresh("i");
        let bound = match self.random.below(3) {
            0 => format!("{}", self.random.below(6)),
            _ => format!("(int)(({}) & 7)", self.expr(INT, 1)),
        };
        // The bound is taken once: the body may change what it was computed from.
        let limit = self.fresh("end");
        self.line(&format!("const int {limit} = {bound};"));
        if self.random.chance(70) {
            self.open(&format!("for (int {counter} = 0; {counter} < {limit}; {counter}++) {{"));
        } else {
            self.open(&format!("for (int {counter} = {limit}; {counter} > 0; {counter} -= 2) {{"));
        }
        self.loop_body(&counter, depth);
        self.close();
    }

    pub(super) fn while_loop(&mut self, depth: u32) {
        let counter = self.fresh("i");
        let start = format!("(int)(({}) & 7)", self.expr(INT, 1));
        self.line(&format!("int {counter} = {start};"));
        let do_while = self.random.chance(40);
        if do_while {
            self.open("do {");
        } else {
            self.open(&format!("while ({counter} > 0) {{"));
        }
        self.line(&format!("{counter}--;"));
        self.loop_body(&counter, depth);
        if do_while {
            self.indent -= 1;
            self.line(&format!("}} while ({counter} > 0);"));
        } else {
            self.close();
        }
    }

    pub(super) fn loop_body(&mut self, counter: &str, depth: u32) {
        let scope = self.scope.len();
        self.scope.push(Variable { name: counter.to_string(), ty: INT, assignable: false });
        self.block(depth - 1);
        if self.random.chance(40) {
            let leave = *self.random.pick(&["break", "continue"]);
            let condition = self.condition(1);
            self.line(&format!("if ({condition}) {leave};"));
            self.block(depth - 1);
        }
        self.scope.truncate(scope);
    }

    pub(super) fn switch(&mut self, depth: u32) {
        let value = self.expr(INT, 2);
        self.open(&format!("switch (({value}) & 3) {{"));
        for case in 0..1 + self.random.below(4) {
            self.open(&format!("case {case}: {{"));
            self.block(depth - 1);
            if self.random.chance(70) {
                self.line("break;");
            }
            self.close();
        }
        if self.random.chance(60) {
            self.open("default: {");
            self.block(depth - 1);
            self.close();
        }
        self.close();
    }

    // Where control flow is uniform.

    /// Every thread publishes a value, and reads somebody else's after the barrier.
    pub(super) fn exchange(&mut self, size: u64) {
        self.fuel = self.fuel.saturating_sub(1);
        let ty = self.any_ty();
        let name = self.fresh("tile");
        let value = self.expr(ty, 2);
        let at = match self.random.below(3) {
            0 => "lid".to_string(),
            1 => format!("(lid + {}u) % {size}u", self.random.below(size)),
            _ => format!("({size}u - 1u - lid)"),
        };
        self.line(&format!("{name}[{at}] = {value};"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        // Declared at the head of the kernel, as the language asks.
        let declaration = format!("    local {} {name}[{size}];\n", ty.name());
        self.insert_at_head(&declaration);
        let result = self.fresh("v");
        let index = match self.random.below(3) {
            0 => format!("(lid ^ {}u) % {size}u", self.random.below(size)),
            1 => format!(
                "(lid * {}u + {}u) % {size}u",
                1 + self.random.below(7),
                self.random.below(size)
            ),
            _ => format!("(uint)({}) % {size}u", self.expr(INT, 1)),
        };
        self.line(&format!("{} {result} = {name}[{index}];", ty.name()));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.scope.push(Variable { name: result, ty, assignable: true });
    }

    pub(super) fn insert_at_head(&mut self, declaration: &str) {
        let at = self.body.find("    // locals\n").unwrap_or(0);
        self.body.insert_str(at, declaration);
    }

    /// A phase of one commutative atomic on a few counters.
    pub(super) fn local_atomics(&mut self, size: u64) {
        self.fuel = self.fuel.saturating_sub(1);
        let name = self.fresh("count");
        let counters = *self.random.pick(&[1u64, 4, 8]);
        let signed = self.random.chance(50);
        let ty = INT.with_sign(signed);
        let declaration = format!("    local {} {name}[{counters}];\n", ty.name());
        self.insert_at_head(&declaration);
        let start = self.random.between(0, 100);
        self.line(&format!(
            "for (uint k = lid; k < {counters}u; k += {size}u) {name}[k] = {start};"
        ));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let op = *self.random.pick(&["add", "sub", "and", "or", "xor", "min", "max", "inc", "dec"]);
        let index = format!("(uint)({}) % {counters}u", self.expr(INT, 1));
        let guard = if self.random.chance(40) {
            format!("if ({}) ", self.condition(1))
        } else {
            String::new()
        };
        if matches!(op, "inc" | "dec") {
            self.line(&format!("{guard}atomic_{op}(&{name}[{index}]);"));
        } else {
            let value = self.expr(ty, 2);
            self.line(&format!("{guard}atomic_{op}(&{name}[{index}], {value});"));
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let result = self.fresh("v");
        self.line(&format!("{} {result} = {name}[lid % {counters}u];", ty.name()));
        self.scope.push(Variable { name: result, ty, assignable: true });
    }

    /// A loop that all threads take equally often, with an exchange in it.
    pub(super) fn uniform_loop(&mut self, size: u64) {
        let counter = self.fresh("u");
        let bound = if self.random.chance(50) {
            format!("{}", 1 + self.random.below(4))
        } else {
            "(n & 3) + 1".to_string()
        };
        self.open(&format!("for (int {counter} = 0; {counter} < {bound}; {counter}++) {{"));
        let (scope, arrays) = (self.scope.len(), self.arrays.len());
        self.scope.push(Variable { name: counter, ty: INT, assignable: false });
        self.exchange(size);
        self.block(1);
        self.scope.truncate(scope);
        self.arrays.truncate(arrays);
        self.close();
    }
}
