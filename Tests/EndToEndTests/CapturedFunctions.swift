/// The functions that headers of the C library declare, by what becomes of them in a simulated
/// process.
enum CapturedFunctions {
  /// The headers of which each function is in a class; of others, those that were found to matter.
  static let headers = [
    "time.h", "stdlib.h", "sys/random.h", "sys/stat.h", "poll.h", "sys/select.h", "sys/epoll.h",
    "signal.h", "semaphore.h", "pthread.h", "threads.h", "unistd.h",
  ]

  /// Answered by the world: random numbers, and names that are made of them.
  static let chance = words(
    """
    arc4random arc4random_buf arc4random_uniform getentropy getrandom
    fopen fopen64 freopen freopen64 open open64 openat openat64
    mkdtemp mkostemp mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp
    tempnam tmpnam tmpnam_r
    """)

  /// Answered by the world: times, identifiers and the processor.
  static let answered = words(
    """
    clock clock_getcpuclockid clock_gettime getrusage gettimeofday time times timespec_get
    getcpu sched_getcpu sysconf __sysconf
    __getpgid getpgid getpgrp getpid getppid getsid gettid tcgetpgrp
    kill killpg sigqueue syscall tgkill
    fstat fstat64 fstatat fstatat64 lstat lstat64 stat stat64 statx fts_children fts_read
    futimens futimes futimesat lutimes utime utimensat utimes
    """)

  /// End the process, with their name.
  static let refused = words(
    """
    clock_nanosleep nanosleep sleep thrd_sleep usleep
    cnd_timedwait cnd_wait pthread_barrier_wait pthread_cond_clockwait pthread_cond_timedwait
    pthread_cond_wait
    epoll_pwait epoll_pwait2 epoll_wait poll ppoll pselect select
    pause sigpause sigsuspend sigtimedwait sigwait sigwaitinfo
    sem_clockwait sem_timedwait sem_wait
    alarm profil setitimer timer_create timerfd_create ualarm
    pthread_create thrd_create
    _Fork clone daemon execl execle execlp execv execve execveat execvp execvpe fexecve fork forkpty
    popen posix_spawn posix_spawnp system vfork wordexp
    setpgid setpgrp setsid tcsetpgrp
    setsockopt socket socketpair
    adjtime adjtimex clock_adjtime clock_settime getdate getdate_r ntp_gettime ntp_gettimex
    settimeofday
    get_avphys_pages getloadavg sysinfo
    """)

  /// End the process, with their name, if they wait for a lock that the calling thread holds.
  static let locks = words(
    """
    call_once mtx_lock mtx_timedlock
    pthread_mutex_clocklock pthread_mutex_lock pthread_mutex_timedlock pthread_once
    pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock pthread_rwlock_rdlock
    pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_wrlock pthread_spin_lock
    """)

  /// Let through, by the reason for it.
  static let letThrough: [String: [String]] = [
    "its result follows from its arguments, from what the program has set, or from its memory":
      words(
        """
        a64l abs alloca aligned_alloc asctime asctime_r at_quick_exit atexit atof atoi atol atoll
        bsearch calloc clearenv crypt ctime ctime_r difftime div dysize ecvt ecvt_r fcvt fcvt_r free gcvt
        getenv getopt getsubopt gmtime gmtime_r l64a labs ldiv llabs lldiv localtime localtime_r
        malloc mblen mbstowcs mbtowc mktime on_exit posix_memalign putenv qecvt qecvt_r qfcvt
        qfcvt_r qgcvt qsort qsort_r realloc reallocarray rpmatch secure_getenv setenv strfromd
        strfromf strfromf32 strfromf32x strfromf64 strfromf64x strfroml strftime strftime_l
        strptime strptime_l strtod strtod_l strtof strtof32 strtof32_l strtof32x strtof32x_l
        strtof64 strtof64_l strtof64x strtof64x_l strtof_l strtol strtol_l strtold strtold_l
        strtoll strtoll_l strtoq strtoul strtoul_l strtoull strtoull_l strtouq swab timegm
        timelocal tzset unsetenv valloc wcstombs wctomb brk sbrk
        __bswap_16 __bswap_32 __bswap_64 __uint16_identity __uint32_identity __uint64_identity
        __ctype_get_mb_cur_max __sched_cpualloc __sched_cpucount __sched_cpufree
        free_sized free_aligned_sized memalignment strfromf128 strtof128 strtof128_l
        """),
    "its numbers follow from the seed that the program gives it, or else from a constant": words(
      """
      drand48 drand48_r erand48 erand48_r initstate initstate_r jrand48 jrand48_r lcong48 lcong48_r
      lrand48 lrand48_r mrand48 mrand48_r nrand48 nrand48_r rand rand_r random random_r seed48
      seed48_r setstate setstate_r srand srand48 srand48_r srandom srandom_r
      """),
    "it ends the process": words("_Exit _exit abort exit quick_exit"),
    "files, terminals and their names are those of the system": words(
      """
      access canonicalize_file_name chdir chmod chown close close_range closefrom copy_file_range
      dup dup2 dup3 eaccess euidaccess faccessat fchdir fchmod fchmodat fchown fchownat fdatasync
      fpathconf fsync ftruncate ftruncate64 get_current_dir_name getcwd getpass getpt getumask
      getwd grantpt isatty lchmod lchown link linkat lockf lockf64 lseek lseek64 mkdir mkdirat
      mkfifo mkfifoat mknod mknodat pathconf pipe pipe2 posix_openpt pread pread64 ptsname
      ptsname_r pwrite pwrite64 read readlink readlinkat realpath revoke rmdir symlink symlinkat
      sync syncfs truncate truncate64 ttyname ttyname_r ttyslot umask unlink unlinkat unlockpt
      write
      """),
    "a property of the machine or of its user, the same in each run": words(
      """
      clock_getres confstr endusershell getdomainname getdtablesize getegid geteuid getgid getgroups
      gethostid gethostname getlogin getlogin_r getpagesize getresgid getresuid getuid getusershell
      group_member setusershell timespec_getres
      pthread_getaffinity_np sched_get_priority_max sched_get_priority_min sched_getaffinity
      sched_getparam sched_getscheduler sched_rr_get_interval
      """),
    "it changes the machine or the rights of the process, and tells nothing": words(
      """
      acct chroot nice setdomainname setegid seteuid setgid sethostid sethostname setlogin setns
      setregid setresgid setresuid setreuid setuid unshare vhangup
      pthread_setaffinity_np sched_setaffinity sched_setparam sched_setscheduler
      """),
    "it asks whether something is ready, and never waits": words(
      """
      epoll_create epoll_create1 epoll_ctl pthread_mutex_trylock pthread_rwlock_tryrdlock
      pthread_rwlock_trywrlock pthread_spin_trylock pthread_tryjoin_np sched_yield pthread_yield
      mtx_trylock thrd_yield
      sem_getvalue sem_trywait
      """),
    "it makes, unlocks or describes a lock, a condition or a semaphore": words(
      """
      cnd_broadcast cnd_destroy cnd_init cnd_signal mtx_destroy mtx_init mtx_unlock
      pthread_barrier_destroy pthread_barrier_init pthread_barrierattr_destroy
      pthread_barrierattr_getpshared pthread_barrierattr_init pthread_barrierattr_setpshared
      pthread_cond_broadcast pthread_cond_destroy pthread_cond_init pthread_cond_signal
      pthread_condattr_destroy pthread_condattr_getclock pthread_condattr_getpshared
      pthread_condattr_init pthread_condattr_setclock pthread_condattr_setpshared
      pthread_mutex_consistent pthread_mutex_consistent_np pthread_mutex_destroy
      pthread_mutex_getprioceiling pthread_mutex_init pthread_mutex_setprioceiling
      pthread_mutex_unlock pthread_mutexattr_destroy pthread_mutexattr_getprioceiling
      pthread_mutexattr_getprotocol pthread_mutexattr_getpshared pthread_mutexattr_getrobust
      pthread_mutexattr_getrobust_np pthread_mutexattr_gettype pthread_mutexattr_init
      pthread_mutexattr_setprioceiling pthread_mutexattr_setprotocol pthread_mutexattr_setpshared
      pthread_mutexattr_setrobust pthread_mutexattr_setrobust_np pthread_mutexattr_settype
      pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_unlock pthread_rwlockattr_destroy
      pthread_rwlockattr_getkind_np pthread_rwlockattr_getpshared pthread_rwlockattr_init
      pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared pthread_spin_destroy
      pthread_spin_init pthread_spin_unlock sem_close sem_destroy sem_init sem_open sem_post
      sem_unlink
      """),
    "it needs a second thread or a timer, and making one is refused": words(
      """
      pthread_cancel pthread_clockjoin_np pthread_detach pthread_join pthread_timedjoin_np
      thrd_detach thrd_join
      timer_delete timer_getoverrun timer_gettime timer_settime
      """),
    "it describes the only thread, or one to come": words(
      """
      __pthread_register_cancel __pthread_register_cancel_defer __pthread_unregister_cancel
      __pthread_unregister_cancel_restore __pthread_unwind_next
      pthread_atfork pthread_attr_destroy pthread_attr_getaffinity_np pthread_attr_getdetachstate
      pthread_attr_getguardsize pthread_attr_getinheritsched pthread_attr_getschedparam
      pthread_attr_getschedpolicy pthread_attr_getscope pthread_attr_getsigmask_np
      pthread_attr_getstack pthread_attr_getstackaddr pthread_attr_getstacksize pthread_attr_init
      pthread_attr_setaffinity_np pthread_attr_setdetachstate pthread_attr_setguardsize
      pthread_attr_setinheritsched pthread_attr_setschedparam pthread_attr_setschedpolicy
      pthread_attr_setscope pthread_attr_setsigmask_np pthread_attr_setstack
      pthread_attr_setstackaddr pthread_attr_setstacksize pthread_equal pthread_exit
      pthread_getattr_default_np pthread_getattr_np pthread_getconcurrency pthread_getcpuclockid
      pthread_getname_np pthread_getschedparam pthread_getspecific pthread_key_create
      thrd_current thrd_equal thrd_exit tss_create tss_delete tss_get tss_set
      pthread_key_delete pthread_self pthread_setattr_default_np pthread_setcancelstate
      pthread_setcanceltype pthread_setconcurrency pthread_setname_np pthread_setschedparam
      pthread_setschedprio pthread_setspecific pthread_testcancel pthread_gettid_np
      """),
    "signals come from the program itself, or from outside as input does": words(
      """
      __libc_current_sigrtmax __libc_current_sigrtmin __sigsetjmp __sysv_signal gsignal psiginfo
      psignal pthread_kill pthread_sigmask pthread_sigqueue raise sigaction sigaddset sigaltstack
      sigandset sigblock sigdelset sigemptyset sigfillset siggetmask sighold sigignore siginterrupt
      sigisemptyset sigismember signal sigorset sigpending sigprocmask sigrelse sigreturn sigset
      sigsetmask sigstack ssignal sysv_signal sig2str str2sig
      """),
  ]

  /// Every function that is in a class.
  static var all: [String] { chance + answered + refused + locks + letThrough.values.joined() }

  private static func words(_ text: String) -> [String] {
    text.split { $0.isWhitespace }.map(String.init)
  }
}
