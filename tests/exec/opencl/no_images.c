// Right but for what is not there: the device says that it has no images, and a program that goes on is told.
#include "setup.h"

int main(void) {
    setup(0);
    cl_bool images;
    clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL);
    cl_uint formats = 7;
    clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &formats);
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc size = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_int error;
    cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &size, NULL, &error);
    printf("%d %u %d %d\n", images, formats, image == NULL, error);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
