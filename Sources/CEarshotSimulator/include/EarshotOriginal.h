#ifndef EARSHOTORIGINAL_H
#define EARSHOTORIGINAL_H

/* Defines original_NAME(): the function that would have been called without the definition of this library, as a pointer
   of the type of its namesake here; NULL if the program has no library with such a function. It is looked up at the start,
   since a signal handler or a child between fork and exec must not, or earlier, if something else at the start calls it. */
#define ORIGINAL_FOUND(name, find)                                                              \
  static __typeof__(&name) original_##name(void) {                                              \
    static __typeof__(&name) known;                                                             \
    __typeof__(&name) original = __atomic_load_n(&known, __ATOMIC_RELAXED);                     \
    if (original != NULL) return original;                                                      \
    original = (__typeof__(&name))find;                                                         \
    __atomic_store_n(&known, original, __ATOMIC_RELAXED);                                       \
    return original;                                                                            \
  }                                                                                             \
  __attribute__((constructor)) static void look_up_##name(void) { (void)original_##name(); }

#define ORIGINAL(name) ORIGINAL_FOUND(name, dlsym(RTLD_NEXT, #name))

#endif
