//! The arguments of a sequence's launches: which parameter is which buffer or number.

use lockstep_finding::{ArgValue, ArraySpec, Launch};
use lockstep_kernel::{Kernel, ParamKind, Space};
use lockstep_simulate::{BoundLaunch, Bytes, bind};

use crate::model::{LaunchStep, Sequence};

/// The arguments of one launch, by parameter.
#[derive(Clone, Debug)]
pub struct Arguments {
    pub values: Vec<(String, ArgValue)>,
    /// The buffer that a parameter is, the first of those that are the same one.
    pub buffers: Vec<Option<usize>>,
    /// The number that it is, where the number is open.
    pub numbers: Vec<Option<usize>>,
}

impl Sequence {
    /// Whether all launches can be made. `kernels` has the kernel of each, in order.
    pub fn check(&self, kernels: &[&Kernel]) -> Result<(), String> {
        for ((step, launch), kernel) in self.launches().zip(kernels) {
            let wrong = |e: String| format!("step {}: kernel {}: {e}", step + 1, kernel.name);
            let arguments = self.arguments(launch, kernel, &|_| Some("0".into())).map_err(wrong)?;
            launch.bind(kernel, &arguments, &|_| Vec::new()).map_err(wrong)?;
            let lives_on = |o: &&lockstep_kernel::Object| {
                !o.fixed && matches!(o.space, Space::Global | Space::Constant)
            };
            if kernels.len() > 1
                && let Some(variable) = kernel.objects.iter().find(lives_on)
            {
                return Err(wrong(format!(
                    "variable '{}' keeps its value from launch to launch, which is not modelled: make it a parameter",
                    variable.name
                )));
            }
        }
        Ok(())
    }

    /// Which argument each parameter has. `number` gives values of numbers that are open.
    pub fn arguments(
        &self,
        launch: &LaunchStep,
        kernel: &Kernel,
        number: &dyn Fn(usize) -> Option<String>,
    ) -> Result<Arguments, String> {
        if let Some((name, _)) =
            (launch.args.iter()).find(|(name, _)| kernel.params.iter().all(|p| p.name != *name))
        {
            let names: Vec<&str> = kernel.params.iter().map(|p| p.name.as_str()).collect();
            return Err(format!("no parameter '{name}'; it has {}", names.join(", ")));
        }
        let mut out = Arguments { values: Vec::new(), buffers: Vec::new(), numbers: Vec::new() };
        for param in &kernel.params {
            let said = launch.args.iter().find(|(name, _)| *name == param.name);
            let word = said.map_or(param.name.as_str(), |(_, value)| value);
            let is_array = matches!(param.kind, ParamKind::Buffer { .. });
            let buffer = self.position(word).filter(|_| is_array);
            let known = self.numbers.iter().position(|n| n.name == word);
            let mut open = None;
            let value = match (buffer, known) {
                (Some(at), _) => Some(match out.buffers.iter().position(|b| *b == Some(at)) {
                    Some(first) => {
                        ArgValue::SameAs { param: kernel.params[first].name.clone(), offset: 0 }
                    }
                    None => ArgValue::Array(self.buffers[at].array.clone()),
                }),
                (None, Some(at)) => {
                    let fixed = self.numbers[at].value.clone();
                    open = fixed.is_none().then_some(at);
                    let text = fixed.or_else(|| number(at));
                    Some(ArgValue::Scalar(text.ok_or_else(|| format!("'{word}' has no value"))?))
                }
                (None, None) => said.map(|(_, text)| ArgValue::parse(text)).transpose()?,
            };
            // Two parameters with one buffer: the second shares the array of the first.
            let is_own = matches!(value, Some(ArgValue::Array(_)));
            out.buffers.push(buffer.filter(|_| is_own));
            out.numbers.push(open);
            out.values.extend(value.map(|v| (param.name.clone(), v)));
        }
        Ok(out)
    }
}

impl LaunchStep {
    /// The launch with these arguments; `contents` gives the bytes of buffers, zeros follow.
    pub fn bind(
        &self,
        kernel: &Kernel,
        arguments: &Arguments,
        contents: &dyn Fn(usize) -> Vec<u8>,
    ) -> Result<BoundLaunch, String> {
        let buffer = |name: &str| {
            let param = kernel.params.iter().position(|p| p.name == name)?;
            arguments.buffers[param]
        };
        let bytes = |name: &str, spec: &ArraySpec| match buffer(name) {
            Some(at) => {
                let mut bytes = contents(at);
                bytes.resize(spec.bytes() as usize, 0);
                Ok(Bytes::from(bytes))
            }
            None => Ok(spec.to_bytes(name, 0)?.into()),
        };
        bind::bind_with(kernel, &self.launch(arguments.values.clone()), &bytes)
    }

    pub fn launch(&self, args: Vec<(String, ArgValue)>) -> Launch {
        let LaunchStep { grid, block, shared, .. } = *self;
        Launch { grid, block, shared, args, ..Launch::default() }
    }
}
