// reference: data.c:upper
// launch: --block 16 --grid 1 --arg n=13 --arg text=i8[13]:symbolic
// expect[upper]: equivalent
// expect[upper_bit]: mismatch
__kernel void upper(__global char *text, int n) {
  int i = get_global_id(0);
  if (i < n) {
    char c = text[i];
    text[i] = (uchar)(c - 'a') < 26 ? c ^ 0x20 : c;
  }
}

// So do the characters behind z.
__kernel void upper_bit(__global char *text, int n) {
  int i = get_global_id(0);
  if (i < n && text[i] >= 'a')
    text[i] &= ~0x20;
}
