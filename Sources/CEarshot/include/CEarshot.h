#ifndef CEARSHOT_H
#define CEARSHOT_H

/* What Swift cannot say. */

/* Has the processor fetch the cache line of an address; does nothing else, whatever the address. */
static inline void earshot_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

#endif
