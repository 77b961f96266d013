/* As C was written once: what is not declared gives an int. */
twice(n) { return later(n) * 2; }
int later(int n) { return n + 1; }
