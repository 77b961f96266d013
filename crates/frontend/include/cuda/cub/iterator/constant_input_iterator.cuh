// CUB: one of its iterators.
#pragma once
#include "iterators.cuh"
