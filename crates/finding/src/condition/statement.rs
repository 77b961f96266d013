//! What is said of a launch and no expression of C says: where arrays lie, what counters hold, how elements are ordered.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::launch::{Expr, dims_text};
use crate::reason::SourceLine;

/// A sentence about a launch. One variant for each; its text is made here and nowhere else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statement {
    /// What the pointer parameters point to, and these variables, do not overlap.
    ParametersApart {
        pointers: Vec<String>,
        variables: Vec<String>,
    },
    /// None of the pointers points into one of the variables.
    ApartFromVariables {
        pointers: Vec<String>,
        variables: Vec<String>,
    },
    /// The host gives pointers into one array: what is accessed through them does not overlap, nor does it these variables.
    AccessesApart {
        pointers: Vec<String>,
        variables: Vec<String>,
    },
    /// The same, for variables that the pointers may point into.
    AccessesApartFromVariables {
        pointers: Vec<String>,
        variables: Vec<String>,
    },
    /// A pointer parameter is another array, so many bytes in.
    PointsInto {
        pointer: String,
        array: String,
        bytes: u64,
    },
    /// A parameter that is no number is what a launch of the host gives.
    AsInThatLaunch {
        parameter: String,
    },
    /// An array is this long.
    Bytes {
        array: String,
        bytes: u64,
    },
    /// A function without a body does nothing that matters here.
    NoEffect {
        call: String,
    },
    /// OpenCL: the launch has no global offset.
    NoGlobalOffset,
    /// OpenCL 2.0: no work-group is smaller than the others.
    GroupsOfOneSize,
    /// OpenCL 2.0: the last work-groups are smaller than the others.
    RemainderGroups,
    /// The counters that numbers are drawn from.
    CountersStartAtZero,
    CountersBelow {
        limit: i64,
    },
    CounterStartsAtZero {
        counter: String,
    },
    CounterDoesNotOverflow {
        counter: String,
    },
    /// A counter is smaller than what is taken from it.
    CounterTooSmall {
        counters: Vec<String>,
    },
    /// What `#if` on the architecture leaves out is not looked at.
    CompiledFor {
        architecture: String,
        left_out: String,
    },
    /// What `#if` leaves out for clang, or keeps for clang alone, is not what nvcc compiles.
    CompiledByClang {
        left_out: String,
    },
    /// What these headers, which were not found, declare does not change the kernel.
    MissingHeaders {
        headers: Vec<String>,
    },
    /// `T = float, N = 32`: a template that nothing instantiates was looked at with these.
    TemplateArguments {
        arguments: String,
    },
    /// About the contents of arrays.
    Elements {
        arrays: Vec<String>,
        are: Contents,
    },
    PartsOverlap {
        begin: String,
        end: String,
    },
    PartsEmpty {
        begin: String,
        end: String,
    },
    /// Of a wait: nobody else writes what is waited for.
    NobodyWrites {
        array: String,
    },
    /// Of a wait: no thread reaches the line that writes what is waited for.
    NoThreadReaches {
        line: u32,
        writes: String,
    },
    /// The values of the launch that was executed, where no condition on them is known.
    ValuesOfThisLaunch,
    /// Results are compared as if floating point were like that.
    FloatingPoint(FloatAssumption),
    /// The reference of a comparison does not divide by zero there.
    NotDividedByZero {
        at: SourceLine,
    },
    /// It is one of the launches that were recorded, all or some of which were looked at.
    OneOfRecorded {
        looked_at: usize,
        recorded: usize,
    },
    /// It is the launch that was given, with its arguments: all its executions were explored.
    GivenLaunch {
        grid: [u32; 3],
        block: [u32; 3],
    },
}

/// What may be taken for given about floating point, beyond what IEEE 754 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FloatAssumption {
    PositiveZero,
    Finite,
    Associative,
    Contraction,
}

impl FloatAssumption {
    pub const ALL: [FloatAssumption; 4] = [
        FloatAssumption::PositiveZero,
        FloatAssumption::Finite,
        FloatAssumption::Associative,
        FloatAssumption::Contraction,
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FloatAssumption::PositiveZero => "positive-zero",
            FloatAssumption::Finite => "finite",
            FloatAssumption::Associative => "associative",
            FloatAssumption::Contraction => "contraction",
        }
    }
}

/// What elements of arrays are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contents {
    /// Two of them are equal.
    Equal,
    /// Two of them differ by less than this.
    CloserThan(i64),
    NotAscending,
    /// Neither do those of their bits that are compared.
    BitsNotAscending,
    NotBelow(Expr),
    NotInUnitInterval,
    Value(String),
    NotValue(String),
    OnlyZeros,
    AsInThisLaunch,
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

fn parameters(names: &[String]) -> (&'static str, &'static str) {
    if names.len() == 1 { ("parameter", "does") } else { ("parameters", "do") }
}

fn with_variables(pointers: &[String], variables: &[String]) -> String {
    let variables = variables.iter().map(|v| format!("the variable {v}"));
    listed(&pointers.iter().cloned().chain(variables).collect::<Vec<_>>())
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::ParametersApart { pointers, variables } => {
                write!(f, "parameters {} do not overlap", with_variables(pointers, variables))
            }
            Statement::ApartFromVariables { pointers, variables } => {
                let variable = if variables.len() > 1 { "the variables" } else { "the variable" };
                let (parameter, does) = parameters(pointers);
                let (pointers, variables) = (listed(pointers), listed(variables));
                write!(f, "{parameter} {pointers} {does} not overlap {variable} {variables}")
            }
            Statement::AccessesApart { pointers, variables } => {
                let all = with_variables(pointers, variables);
                write!(f, "what is accessed through {all} does not overlap")
            }
            Statement::AccessesApartFromVariables { pointers, variables } => {
                let (pointers, variables) = (listed(pointers), listed(variables));
                write!(
                    f,
                    "what is accessed through {pointers} does not overlap what is of {variables}"
                )
            }
            Statement::PointsInto { pointer, array, bytes: 0 } => write!(f, "{pointer} is {array}"),
            Statement::PointsInto { pointer, array, bytes } => {
                write!(f, "{pointer} is {array} + {bytes} bytes")
            }
            Statement::AsInThatLaunch { parameter } => {
                write!(f, "{parameter} is as in that launch")
            }
            Statement::Bytes { array, bytes } => write!(f, "{array} has {bytes} bytes"),
            Statement::NoEffect { call } => {
                write!(f, "the {call}, which is only declared, has no effect on memory or barriers")
            }
            Statement::NoGlobalOffset => f.write_str("the global offset is 0"),
            Statement::GroupsOfOneSize => f.write_str("all work-groups have the same size"),
            Statement::RemainderGroups => {
                f.write_str("the last work-groups are smaller than the others")
            }
            Statement::CountersStartAtZero => {
                f.write_str("counters are 0 when the kernel is launched")
            }
            Statement::CountersBelow { limit } => {
                write!(f, "numbers drawn from counters are not negative and less than {limit}")
            }
            Statement::CounterStartsAtZero { counter } => {
                write!(f, "{counter} is 0 when the kernel is launched")
            }
            Statement::CounterDoesNotOverflow { counter } => {
                write!(f, "the counter `{counter}` does not overflow")
            }
            Statement::CounterTooSmall { counters } => {
                write!(f, "{} begins with less than is taken from it", counters.join(" or "))
            }
            Statement::CompiledByClang { left_out } => {
                write!(f, "compiled by clang, not by nvcc: {left_out}")
            }
            Statement::CompiledFor { architecture, left_out } => {
                write!(f, "compiled for {architecture}: {left_out}")
            }
            Statement::MissingHeaders { headers } => {
                let (header, does) = match headers.len() {
                    1 => ("header", "does"),
                    _ => ("headers", "do"),
                };
                write!(f, "the missing {header} {} {does} not change it", listed(headers))
            }
            Statement::TemplateArguments { arguments } => f.write_str(arguments),
            Statement::Elements { arrays, are } => are.write(f, &listed(arrays)),
            Statement::PartsOverlap { begin, end } => {
                write!(
                    f,
                    "parts that begin at elements of {begin} and end at those of {end} overlap"
                )
            }
            Statement::PartsEmpty { begin, end } => {
                write!(f, "parts from elements of {begin} to those of {end} are empty")
            }
            Statement::NobodyWrites { array } => write!(f, "nobody else writes {array}"),
            Statement::NoThreadReaches { line, writes } => {
                write!(f, "no thread comes to line {line}, which writes {writes}")
            }
            Statement::ValuesOfThisLaunch => f.write_str("the values of this launch are given"),
            Statement::FloatingPoint(assumption) => f.write_str(match assumption {
                FloatAssumption::PositiveZero => "the sign of a zero does not matter",
                FloatAssumption::Finite => "no floating-point value is infinite or NaN",
                FloatAssumption::Associative => {
                    "floating-point sums and products may be computed in any order"
                }
                FloatAssumption::Contraction => "a * b + c may be rounded once, as fma does",
            }),
            Statement::NotDividedByZero { at } => write!(f, "the divisor at {at} is not zero"),
            Statement::OneOfRecorded { looked_at, recorded } if looked_at == recorded => {
                write!(f, "it is one of the {recorded} launches that were recorded")
            }
            Statement::OneOfRecorded { looked_at, recorded } => {
                write!(f, "it is one of {looked_at} of the {recorded} launches that were recorded")
            }
            Statement::GivenLaunch { grid, block } => {
                let (grid, block) = (dims_text(*grid), dims_text(*block));
                write!(f, "the launch has grid {grid}, block {block} and the arguments given")
            }
        }
    }
}

impl Contents {
    fn write(&self, f: &mut fmt::Formatter<'_>, arrays: &str) -> fmt::Result {
        match self {
            Contents::Equal => write!(f, "two elements of {arrays} are equal"),
            Contents::CloserThan(n) => write!(f, "elements of {arrays} are less than {n} apart"),
            Contents::NotAscending => write!(f, "elements of {arrays} do not ascend"),
            Contents::BitsNotAscending => {
                write!(f, "elements of {arrays}, or the bits of them that count, do not ascend")
            }
            Contents::NotBelow(size) => write!(f, "elements of {arrays} are not less than {size}"),
            Contents::NotInUnitInterval => write!(f, "elements of {arrays} are not in [0, 1)"),
            Contents::Value(value) => write!(f, "elements of {arrays} are {value}"),
            Contents::NotValue(value) => write!(f, "elements of {arrays} are not {value}"),
            Contents::OnlyZeros => write!(f, "elements of {arrays} are nothing but zeros"),
            Contents::AsInThisLaunch => write!(f, "elements of {arrays} are as in this launch"),
        }
    }
}
