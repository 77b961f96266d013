// The SDK name for what the Lockstep prelude already holds.
#pragma once
#include "lockstep_cuda_prelude.h"
