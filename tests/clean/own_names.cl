// Names of the language in places where they are the user's.

typedef struct {
    int x;
} image2d_shape_t;

__kernel void names(__global int *this, image2d_shape_t shape, int this_restrict) {
    this[get_global_id(0)] = shape.x + this_restrict;
}
