//! Z3's C API, as far as it is needed: terms, uninterpreted functions, one solver with a limit of work, values of a model.
//!
//! The library is loaded with the first query. Most kernels need none, and loading it takes longer than all other work
//! for a small kernel. Where it is missing, no query is decided, and [`missing`] gives the reason.
//!
//! # Safety
//! Every function is as safe as Z3's own function of that name, and needs the library: [`missing`] has to be called
//! before.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

pub(crate) type Config = *mut c_void;
pub(crate) type Context = *mut c_void;
pub(crate) type Sort = *mut c_void;
pub(crate) type Symbol = *mut c_void;
pub(crate) type Ast = *mut c_void;
pub(crate) type FuncDecl = *mut c_void;
pub(crate) type Params = *mut c_void;
pub(crate) type Tactic = *mut c_void;
pub(crate) type Solver = *mut c_void;
pub(crate) type Model = *mut c_void;
pub(crate) type Stats = *mut c_void;

/// The names of the library, starting with the version that this was written for.
const NAMES: [&str; 2] = ["libz3.so.4", "libz3.so"];

static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();

fn load() -> Result<Library, String> {
    let mut error = String::new();
    for name in NAMES {
        // SAFETY: loading or unloading Z3 only initialises tables of its own.
        match unsafe { libloading::Library::new(name) } {
            Ok(library) => return Library::new(library).map_err(|e| format!("{name}: {e}")),
            Err(e) if error.is_empty() => error = e.to_string(),
            Err(_) => {}
        }
    }
    Err(error)
}

/// Why there is no solver, if there is none; this loads the library.
pub(crate) fn missing() -> Option<&'static str> {
    LIBRARY.get_or_init(load).as_ref().err().map(String::as_str)
}

/// Why no query could be decided, if one was asked.
pub fn solver_failure() -> Option<&'static str> {
    LIBRARY.get()?.as_ref().err().map(String::as_str)
}

macro_rules! functions {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
        #[allow(non_snake_case)]
        struct Library {
            $($name: unsafe extern "C" fn($($ty),*) $(-> $ret)?,)*
            /// Keeps the library loaded as long as the functions are used.
            _library: libloading::Library,
        }

        impl Library {
            fn new(library: libloading::Library) -> Result<Library, libloading::Error> {
                // SAFETY: the types are those of Z3's own declarations.
                unsafe {
                    Ok(Library {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)*
                        _library: library,
                    })
                }
            }
        }

        $(
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub(crate) unsafe fn $name($($arg: $ty),*) $(-> $ret)? {
                match LIBRARY.get() {
                    // SAFETY: the caller's.
                    Some(Ok(library)) => unsafe { (library.$name)($($arg),*) },
                    _ => unreachable!("Z3 is called before it is loaded"),
                }
            }
        )*
    };
}

functions! {
    fn Z3_mk_config() -> Config;
    fn Z3_del_config(c: Config);
    fn Z3_mk_context(c: Config) -> Context;
    fn Z3_del_context(c: Context);
    fn Z3_interrupt(c: Context);
    fn Z3_set_error_handler(c: Context, h: Option<extern "C" fn(Context, c_int)>);
    fn Z3_mk_string_symbol(c: Context, s: *const c_char) -> Symbol;
    fn Z3_mk_int_symbol(c: Context, i: c_int) -> Symbol;
    fn Z3_mk_bv_sort(c: Context, bits: c_uint) -> Sort;
    fn Z3_mk_const(c: Context, s: Symbol, ty: Sort) -> Ast;
    fn Z3_mk_func_decl(
        c: Context,
        s: Symbol,
        n: c_uint,
        domain: *const Sort,
        range: Sort,
    ) -> FuncDecl;
    fn Z3_mk_app(c: Context, d: FuncDecl, n: c_uint, args: *const Ast) -> Ast;
    fn Z3_mk_unsigned_int64(c: Context, v: u64, ty: Sort) -> Ast;
    fn Z3_mk_eq(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_not(c: Context, a: Ast) -> Ast;
    fn Z3_mk_and(c: Context, n: c_uint, a: *const Ast) -> Ast;
    fn Z3_mk_or(c: Context, n: c_uint, a: *const Ast) -> Ast;
    fn Z3_mk_xor(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_true(c: Context) -> Ast;
    fn Z3_mk_false(c: Context) -> Ast;
    fn Z3_mk_ite(c: Context, i: Ast, t: Ast, e: Ast) -> Ast;
    fn Z3_mk_bvadd(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvmul(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvudiv(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvurem(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvsdiv(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvsrem(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvand(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvor(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvxor(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvshl(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvlshr(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvashr(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvult(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvslt(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvneg(c: Context, a: Ast) -> Ast;
    fn Z3_mk_zero_ext(c: Context, i: c_uint, a: Ast) -> Ast;
    fn Z3_mk_sign_ext(c: Context, i: c_uint, a: Ast) -> Ast;
    fn Z3_mk_extract(c: Context, hi: c_uint, lo: c_uint, a: Ast) -> Ast;
    fn Z3_mk_params(c: Context) -> Params;
    fn Z3_params_inc_ref(c: Context, p: Params);
    fn Z3_params_dec_ref(c: Context, p: Params);
    fn Z3_params_set_uint(c: Context, p: Params, k: Symbol, v: c_uint);
    fn Z3_mk_tactic(c: Context, name: *const c_char) -> Tactic;
    fn Z3_tactic_inc_ref(c: Context, t: Tactic);
    fn Z3_tactic_dec_ref(c: Context, t: Tactic);
    fn Z3_mk_solver_from_tactic(c: Context, t: Tactic) -> Solver;
    fn Z3_solver_inc_ref(c: Context, s: Solver);
    fn Z3_solver_dec_ref(c: Context, s: Solver);
    fn Z3_solver_set_params(c: Context, s: Solver, p: Params);
    fn Z3_solver_assert(c: Context, s: Solver, a: Ast);
    fn Z3_solver_check(c: Context, s: Solver) -> c_int;
    fn Z3_solver_get_model(c: Context, s: Solver) -> Model;
    fn Z3_solver_get_statistics(c: Context, s: Solver) -> Stats;
    fn Z3_stats_inc_ref(c: Context, s: Stats);
    fn Z3_stats_dec_ref(c: Context, s: Stats);
    fn Z3_stats_size(c: Context, s: Stats) -> c_uint;
    fn Z3_stats_get_key(c: Context, s: Stats, i: c_uint) -> *const c_char;
    fn Z3_stats_is_uint(c: Context, s: Stats, i: c_uint) -> bool;
    fn Z3_stats_get_uint_value(c: Context, s: Stats, i: c_uint) -> c_uint;
    fn Z3_model_inc_ref(c: Context, m: Model);
    fn Z3_model_dec_ref(c: Context, m: Model);
    fn Z3_model_eval(
        c: Context,
        m: Model,
        t: Ast,
        completion: bool,
        v: *mut Ast,
    ) -> bool;
    fn Z3_get_numeral_uint64(c: Context, v: Ast, u: *mut u64) -> bool;
    fn Z3_get_bool_value(c: Context, a: Ast) -> c_int;
    fn Z3_mk_int_sort(c: Context) -> Sort;
    fn Z3_mk_bool_sort(c: Context) -> Sort;
    fn Z3_mk_numeral(c: Context, digits: *const c_char, ty: Sort) -> Ast;
    fn Z3_mk_add(c: Context, n: c_uint, a: *const Ast) -> Ast;
    fn Z3_mk_mul(c: Context, n: c_uint, a: *const Ast) -> Ast;
    fn Z3_mk_div(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_mod(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_le(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_lt(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_get_numeral_string(c: Context, a: Ast) -> *const c_char;
}
