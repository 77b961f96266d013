// For a source that defines size_t itself: its own is then another type than ours.
#pragma once
#define size_t __lockstep_own_size_t
