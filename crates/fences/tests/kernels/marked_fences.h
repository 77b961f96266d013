// The fences of a kernel, at lines that a comment marks. A test takes one away, narrows or widens it.
#ifndef FENCE
#define FENCE __threadfence()
#endif
#ifndef RELEASE
#define RELEASE FENCE
#endif
#ifndef ACQUIRE
#define ACQUIRE FENCE
#endif
#ifndef MORE
#define MORE
#endif
