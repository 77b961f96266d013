//! What threads do, and to which memory: the words of findings, as data.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $($variant),*
        }

        impl $name {
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word),*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

words! {
    /// What a thread does where a finding points.
    Action {
        Read = "read",
        Write = "write",
        Atomic = "atomic",
        Barrier = "barrier",
        Fence = "fence",
        Branch = "branch",
        Exit = "exit",
        Copy = "copy",
        Wait = "wait",
        Assert = "assert",
        Free = "free",
        // What the host does between launches.
        Call = "call",
        HostFree = "release",
        HostCopy = "copy",
        HostFill = "fill",
    }
}

impl Action {
    /// Whether the host does it, and no thread.
    pub fn is_of_host(self) -> bool {
        matches!(self, Action::Call | Action::HostFree | Action::HostCopy | Action::HostFill)
    }
}

words! {
    /// The memory that an object lies in.
    MemorySpace {
        Shared = "shared",
        Global = "global",
        Constant = "constant",
        Private = "private",
        Generic = "generic",
    }
}
