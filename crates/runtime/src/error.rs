//! CUDA's error codes: one table of those that this library knows.

use std::ffi::CStr;

/// What a call returns to the program: a `cudaError_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub(crate) struct Status(pub i32);

/// A call that has failed with this status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed(pub Status);

macro_rules! errors {
    ($($name:ident = $number:literal, $cuda:literal, $text:literal;)*) => {
        #[allow(dead_code)]
        impl Status {
            $(pub(crate) const $name: Status = Status($number);)*
        }

        /// Number, name, and what it says.
        static ERRORS: &[(i32, &CStr, &CStr)] = &[$(($number, $cuda, $text)),*];
    };
}

errors! {
    SUCCESS = 0, c"cudaSuccess", c"no error";
    INVALID_VALUE = 1, c"cudaErrorInvalidValue", c"invalid argument";
    MEMORY_ALLOCATION = 2, c"cudaErrorMemoryAllocation", c"out of memory";
    INITIALIZATION = 3, c"cudaErrorInitializationError", c"initialization error";
    UNLOADING = 4, c"cudaErrorCudartUnloading", c"driver shutting down";
    INVALID_CONFIGURATION = 9, c"cudaErrorInvalidConfiguration", c"invalid configuration argument";
    INVALID_SYMBOL = 13, c"cudaErrorInvalidSymbol", c"invalid device symbol";
    INVALID_DEVICE_POINTER = 17, c"cudaErrorInvalidDevicePointer", c"invalid device pointer";
    INVALID_DIRECTION = 21, c"cudaErrorInvalidMemcpyDirection", c"invalid copy direction for memcpy";
    INSUFFICIENT_DRIVER = 35, c"cudaErrorInsufficientDriver", c"CUDA driver version is insufficient for CUDA runtime version";
    INVALID_FUNCTION = 98, c"cudaErrorInvalidDeviceFunction", c"invalid device function";
    NO_DEVICE = 100, c"cudaErrorNoDevice", c"no CUDA-capable device is detected";
    INVALID_DEVICE = 101, c"cudaErrorInvalidDevice", c"invalid device ordinal";
    INVALID_IMAGE = 200, c"cudaErrorInvalidKernelImage", c"device kernel image is invalid";
    NO_BINARY = 209, c"cudaErrorNoKernelImageForDevice", c"no kernel image is available for execution on the device";
    FILE_NOT_FOUND = 301, c"cudaErrorFileNotFound", c"file not found";
    INVALID_HANDLE = 400, c"cudaErrorInvalidResourceHandle", c"invalid resource handle";
    ILLEGAL_STATE = 401, c"cudaErrorIllegalState", c"the operation cannot be performed in the present state";
    NOT_FOUND = 500, c"cudaErrorSymbolNotFound", c"named symbol not found";
    NOT_READY = 600, c"cudaErrorNotReady", c"device not ready";
    ILLEGAL_ADDRESS = 700, c"cudaErrorIllegalAddress", c"an illegal memory access was encountered";
    OUT_OF_RESOURCES = 701, c"cudaErrorLaunchOutOfResources", c"too many resources requested for launch";
    LAUNCH_TIMEOUT = 702, c"cudaErrorLaunchTimeout", c"the launch timed out and was terminated";
    PEER_ENABLED = 704, c"cudaErrorPeerAccessAlreadyEnabled", c"peer access is already enabled";
    PEER_NOT_ENABLED = 705, c"cudaErrorPeerAccessNotEnabled", c"peer access has not been enabled";
    ASSERT = 710, c"cudaErrorAssert", c"device-side assert triggered";
    ALREADY_REGISTERED = 712, c"cudaErrorHostMemoryAlreadyRegistered", c"part or all of the requested memory range is already mapped";
    NOT_REGISTERED = 713, c"cudaErrorHostMemoryNotRegistered", c"pointer does not correspond to a registered memory region";
    LAUNCH_FAILURE = 719, c"cudaErrorLaunchFailure", c"unspecified launch failure";
    COOPERATIVE_TOO_LARGE = 720, c"cudaErrorCooperativeLaunchTooLarge", c"too many blocks in cooperative launch";
    NOT_SUPPORTED = 801, c"cudaErrorNotSupported", c"operation not supported";
    UNSUPPORTED_CAPTURE = 900, c"cudaErrorStreamCaptureUnsupported", c"operation not permitted when stream is capturing";
    UNKNOWN = 999, c"cudaErrorUnknown", c"unknown error";
}

impl Status {
    fn row(self) -> Option<&'static (i32, &'static CStr, &'static CStr)> {
        ERRORS.iter().find(|row| row.0 == self.0)
    }

    pub(crate) fn name(self) -> &'static CStr {
        self.row().map_or(c"unrecognized error code", |row| row.1)
    }

    pub(crate) fn text(self) -> &'static CStr {
        self.row().map_or(c"unrecognized error code", |row| row.2)
    }
}

impl Failed {
    /// The call has failed with this status.
    pub(crate) const fn with<T>(status: Status) -> Result<T, Failed> {
        Err(Failed(status))
    }
}
