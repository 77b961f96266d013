// CUB: stores of a block, beside its loads.
#pragma once
#include "block_load.cuh"
