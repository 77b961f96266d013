// The SDK name for what cuda_fp16.h already holds.
#pragma once
#include "cuda_fp16.h"
