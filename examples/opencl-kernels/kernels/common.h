// Shared by the kernels: the group's size and a clamp that keeps an index within a row.
#ifndef COMMON_H
#define COMMON_H

#define TILE 16
#define GROUP 64

inline int within(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

#endif
