// Luck of its own.
static unsigned int xorshift(unsigned int* seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    return *seed;
}

static int luck_below(unsigned int* seed, int limit) {
    return xorshift(seed) % limit;
}
