// Tells the thread sanitizer of mutexes that change hands in the kernel.
//
// `Synchronization.Mutex` takes a free lock by an atomic operation in the caller's own code, which the sanitizer sees. A lock
// that is held is waited for, and given on, in two functions of a library that was not built for the sanitizer: what
// happens before the one and after the other then looks unordered. These stand in front of the two.

#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void Lock(uint32_t, __attribute__((swift_context)) void *);
typedef __attribute__((swiftcall)) void Unlock(__attribute__((swift_context)) void *);

void __tsan_acquire(void *);
void __tsan_release(void *);

static Lock *next_lock;
static Unlock *next_unlock;

__attribute__((constructor)) static void find(void) {
  next_lock = (Lock *)dlsym(RTLD_NEXT, LOCK);
  next_unlock = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
  if (!next_lock || !next_unlock) abort(); // Another Swift: its mutex works otherwise.
}

Lock lock_slow __asm__(LOCK);
Unlock unlock_slow __asm__(UNLOCK);

__attribute__((swiftcall)) void lock_slow(
    uint32_t thread, __attribute__((swift_context)) void *mutex) {
  next_lock(thread, mutex);
  __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *mutex) {
  __tsan_release(mutex);
  next_unlock(mutex);
}

#endif
#endif
