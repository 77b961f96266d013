// The standard library under its name in libcu++.
#pragma once
namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda
