#define _GNU_SOURCE
#if defined(__linux__)

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "Original.h"

/* A lock that is not free is held by this thread, for ever, if that is its owner, or if there is no other thread. What may
   be held by a thread of a library, or by another process, is waited for. */

ORIGINAL(pthread_mutex_lock)
ORIGINAL(pthread_mutex_trylock)
ORIGINAL(pthread_mutex_timedlock)
ORIGINAL(pthread_mutex_clocklock)
ORIGINAL(pthread_rwlock_rdlock)
ORIGINAL(pthread_rwlock_wrlock)
ORIGINAL(pthread_rwlock_tryrdlock)
ORIGINAL(pthread_rwlock_trywrlock)
ORIGINAL(pthread_rwlock_timedrdlock)
ORIGINAL(pthread_rwlock_timedwrlock)
ORIGINAL(pthread_rwlock_clockrdlock)
ORIGINAL(pthread_rwlock_clockwrlock)
ORIGINAL(pthread_spin_lock)
ORIGINAL(pthread_spin_trylock)
ORIGINAL(pthread_once)
ORIGINAL(mtx_lock)
ORIGINAL(mtx_timedlock)
ORIGINAL(call_once)
ORIGINAL(sem_wait)
ORIGINAL(sem_timedwait)
ORIGINAL(sem_clockwait)

static int is_alone(void) { return earshot_process_thread_count() == 1; }

/* Whether an absolute time of a clock of the world has come. */
static int has_passed(clockid_t clock, const struct timespec *time) {
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return time->tv_sec != now.tv_sec ? time->tv_sec < now.tv_sec : time->tv_nsec <= now.tv_nsec;
}

/* Mutexes: NSLock and the locks of C++ are these. */

static int is_owned(const pthread_mutex_t *mutex) { return mutex->__data.__owner == (int)syscall(SYS_gettid); }

static int reports_itself(const pthread_mutex_t *mutex) {
  return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP;
}

/* What to do about a mutex that is to be locked; -1 if the original is to do it. */
static int lock(pthread_mutex_t *mutex, const char *name) {
  if (!is_captured()) return -1;
  int error = original_pthread_mutex_trylock()(mutex);
  if (error != EBUSY) return error;
  if (is_owned(mutex) && !reports_itself(mutex)) refuse(EARSHOT_REFUSED_LOCK, name);
  return -1;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  int error = lock(mutex, "pthread_mutex_lock");
  return error >= 0 ? error : original_pthread_mutex_lock()(mutex);
}

/* What to do about a mutex that is to be locked until a time; -1 if the original is to do it. */
static int lock_until(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time, const char *name) {
  if (!is_captured()) return -1;
  int error = original_pthread_mutex_trylock()(mutex);
  if (error != EBUSY || (is_owned(mutex) && reports_itself(mutex))) return error == EBUSY ? EDEADLK : error;
  if (has_passed(clock, time)) return ETIMEDOUT;
  refuse(is_owned(mutex) ? EARSHOT_REFUSED_LOCK : EARSHOT_REFUSED_WAIT, name);
  return -1;
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict time) {
  int error = lock_until(mutex, CLOCK_REALTIME, time, "pthread_mutex_timedlock");
  return error >= 0 ? error : original_pthread_mutex_timedlock()(mutex, time);
}

int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict time) {
  int error = lock_until(mutex, clock, time, "pthread_mutex_clocklock");
  return error >= 0 ? error : original_pthread_mutex_clocklock()(mutex, clock, time);
}

/* Locks for readers and writers: of readers the owner is not known. */

static int is_of_process(const pthread_rwlock_t *lock) { return lock->__data.__shared == PTHREAD_PROCESS_PRIVATE; }

typedef int (*rwlock_try)(pthread_rwlock_t *lock);

static int rwlock(pthread_rwlock_t *lock, rwlock_try try, rwlock_try wait, const char *name) {
  int error = try(lock);
  if (error != EBUSY) return error;
  if (is_of_process(lock) && is_alone()) refuse(EARSHOT_REFUSED_LOCK, name);
  return wait(lock);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  if (!is_captured()) return original_pthread_rwlock_rdlock()(lock);
  return rwlock(lock, original_pthread_rwlock_tryrdlock(), original_pthread_rwlock_rdlock(), "pthread_rwlock_rdlock");
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  if (!is_captured()) return original_pthread_rwlock_wrlock()(lock);
  return rwlock(lock, original_pthread_rwlock_trywrlock(), original_pthread_rwlock_wrlock(), "pthread_rwlock_wrlock");
}

static int rwlock_until(pthread_rwlock_t *lock, rwlock_try try, clockid_t clock, const struct timespec *time,
                        const char *name) {
  if (!is_captured()) return -1;
  int error = try(lock);
  if (error != EBUSY) return error;
  if (has_passed(clock, time)) return ETIMEDOUT;
  refuse(is_of_process(lock) && is_alone() ? EARSHOT_REFUSED_LOCK : EARSHOT_REFUSED_WAIT, name);
  return -1;
}

#define RWLOCK_TIMED(name, try)                                                                            \
  int pthread_rwlock_timed##name(pthread_rwlock_t *restrict lock, const struct timespec *restrict time) {  \
    int error = rwlock_until(lock, original_pthread_rwlock_##try(), CLOCK_REALTIME, time,                  \
                             "pthread_rwlock_timed" #name);                                                \
    return error >= 0 ? error : original_pthread_rwlock_timed##name()(lock, time);                         \
  }
RWLOCK_TIMED(rdlock, tryrdlock)
RWLOCK_TIMED(wrlock, trywrlock)

#define RWLOCK_CLOCK(name, try)                                                                            \
  int pthread_rwlock_clock##name(pthread_rwlock_t *restrict lock, clockid_t clock,                         \
                                 const struct timespec *restrict time) {                                   \
    int error = rwlock_until(lock, original_pthread_rwlock_##try(), clock, time,                           \
                             "pthread_rwlock_clock" #name);                                                \
    return error >= 0 ? error : original_pthread_rwlock_clock##name()(lock, clock, time);                  \
  }
RWLOCK_CLOCK(rdlock, tryrdlock)
RWLOCK_CLOCK(wrlock, trywrlock)

/* Spinning: whether other processes share such a lock is not known, so that they get some time. */
int pthread_spin_lock(pthread_spinlock_t *lock) {
  if (!is_captured()) return original_pthread_spin_lock()(lock);
  for (int tries = 0; tries < 100000000; tries++) {
    int error = original_pthread_spin_trylock()(lock);
    if (error != EBUSY) return error;
  }
  if (is_alone()) refuse(EARSHOT_REFUSED_LOCK, "pthread_spin_lock");
  return original_pthread_spin_lock()(lock);
}

/* What is done once, and is done again by what does it. The C library has the bits 1 for what is being done, and 2 for what
   is done. */
static void check_once(const volatile void *once, const char *name) {
  if (is_captured() && (*(const volatile int *)once & 3) == 1 && is_alone()) refuse(EARSHOT_REFUSED_LOCK, name);
}

int pthread_once(pthread_once_t *once, void (*body)(void)) {
  check_once(once, "pthread_once");
  return original_pthread_once()(once, body);
}

/* The same by the names of C11, whose functions do not call these. A mutex of C11 is one of POSIX. */

static int c11_result(int error) { return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error; }

int mtx_lock(mtx_t *mutex) {
  int error = lock((pthread_mutex_t *)mutex, "mtx_lock");
  return error >= 0 ? c11_result(error) : original_mtx_lock()(mutex);
}

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict time) {
  int error = lock_until((pthread_mutex_t *)mutex, CLOCK_REALTIME, time, "mtx_timedlock");
  return error >= 0 ? c11_result(error) : original_mtx_timedlock()(mutex, time);
}

void call_once(once_flag *once, void (*body)(void)) {
  check_once(once, "call_once");
  original_call_once()(once, body);
}

/* Semaphores have no owner. */

static int sem_until(sem_t *semaphore, clockid_t clock, const struct timespec *time, const char *name) {
  if (sem_trywait(semaphore) == 0) return 0;
  if (time != NULL && has_passed(clock, time)) {
    errno = ETIMEDOUT;
    return -1;
  }
  refuse(EARSHOT_REFUSED_WAIT, name);
  return -1;
}

int sem_wait(sem_t *semaphore) {
  if (!is_captured()) return original_sem_wait()(semaphore);
  return sem_until(semaphore, CLOCK_REALTIME, NULL, "sem_wait");
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time) {
  if (!is_captured()) return original_sem_timedwait()(semaphore, time);
  return sem_until(semaphore, CLOCK_REALTIME, time, "sem_timedwait");
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict time) {
  if (!is_captured()) return original_sem_clockwait()(semaphore, clock, time);
  return sem_until(semaphore, clock, time, "sem_clockwait");
}

#endif
