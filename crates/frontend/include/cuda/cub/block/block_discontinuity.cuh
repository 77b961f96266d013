// CUB: flags at the borders of runs, beside differences of neighbours.
#pragma once
#include "block_adjacent_difference.cuh"
