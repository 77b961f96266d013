kernel void match(global const char *text, global const char *word, global int *at, int length) {
    int i = get_global_id(0);
    for (int k = 0; k < length; ++k)
        if (text[i + k] != word[k]) return;
    atomic_min(at, i);
}
