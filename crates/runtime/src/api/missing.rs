//! Functions of CUDA that are not there. A program that names one can be linked; one that calls it is told which.

use crate::device::call;
use crate::error::{Failed, Status};
use crate::record::Record;
use crate::site::Site;

fn is_missing(name: &str) -> Status {
    let site = Site::here();
    call(|d| {
        let message = format!("{name}, called{}, is not supported", site.told());
        match d.is_checked() {
            true => d.tell(&Record::Failed { message }),
            false => eprintln!("lockstep: {message}"),
        }
        Failed::with(Status::NOT_SUPPORTED)
    })
}

macro_rules! missing {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> Status {
                is_missing(stringify!($name))
            }
        )*
    };
}

missing! {
    cudaMallocMipmappedArray cudaFreeMipmappedArray cudaGetMipmappedArrayLevel
    cudaMemcpyArrayToArray cudaMemcpy2DArrayToArray cudaGetTextureObjectResourceDesc
    cudaIpcGetMemHandle cudaIpcOpenMemHandle cudaIpcCloseMemHandle cudaIpcGetEventHandle cudaIpcOpenEventHandle
    cudaGraphAddMemAllocNode cudaGraphAddMemFreeNode cudaGraphAddNode cudaGraphConditionalHandleCreate
    cudaStreamBeginCaptureToGraph cudaStreamGetCaptureInfo cudaStreamUpdateCaptureDependencies
    cudaDeviceGetGraphMemAttribute cudaDeviceGraphMemTrim
    cudaMemPoolCreate cudaMemPoolDestroy cudaDeviceSetMemPool cudaDeviceGetMemPool
    __cudaRegisterTexture __cudaRegisterSurface
    cuInit cuDeviceGet cuDeviceGetCount cuDeviceGetName cuDeviceGetAttribute cuCtxCreate cuCtxDestroy
    cuCtxSynchronize cuModuleLoad cuModuleLoadData cuModuleUnload cuModuleGetFunction cuMemAlloc cuMemFree
    cuMemcpyHtoD cuMemcpyDtoH cuLaunchKernel cuGetErrorString cuGetErrorName
}
