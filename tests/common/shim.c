// Watches every system call by which a program changes files below a folder, and records them in one order.
// On demand one of them fails. To be preloaded. The named places where a program can be killed are in points.h.
//
// The calls are trapped by a seccomp filter, not by functions of the same names: so they are seen whatever makes them, with
// libc or without, and the program under test is the one that is shipped. A trapped call is done by the handler, one at a
// time over all threads. Calls of the handler's own carry a number in an argument that none of the trapped ones has.
//
// WATCHED     the folder; what is below WATCHED/roots may fail
// TRACE       where the trace goes
// FAULT       "<class> <n> <errno>": the n-th call of this class fails; "short <n> 0": it writes a half; "die <n> 0": the
//             program ends before the n-th call that changes something

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define OURS 0x7469646567617465ULL
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static char watched[PATH_MAX], roots[PATH_MAX];
static int trace = -1;
static char class[16];
static long fault_at, fault_errno, seen_of_class;
static volatile int busy;

static long call(long nr, long a, long b, long c, long d, long e) {
    long got = syscall(nr, a, b, c, d, e, OURS);
    return got == -1 ? -errno : got;
}

static void tell(const char *bytes, size_t size) {
    while (size > 0) {
        long done = call(SYS_write, trace, (long)bytes, size, 0, 0);
        if (done <= 0) _exit(99);
        bytes += done, size -= done;
    }
}

static void say(const char *format, ...) {
    char line[2 * PATH_MAX];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    tell(line, size);
}

// The folder of a path, and its name there.
struct place {
    char path[2 * PATH_MAX];
    char *name;
    unsigned long folder;
    int inside;
};

static int below(const char *path, const char *folder) {
    size_t size = strlen(folder);
    return !strncmp(path, folder, size) && (path[size] == '/' || !path[size]);
}

static int path_of(int fd, char *path) {
    char link[64];
    if (fd == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    path[size < 0 ? 0 : size] = 0;
    return size >= 0;
}

static struct place find(int folder, const char *path) {
    struct place place = {0};
    struct stat about;
    if (path[0] != '/') {
        if (!path_of(folder, place.path)) return place;
        strcat(place.path, "/");
    }
    strncat(place.path, path, PATH_MAX - 1);
    place.inside = below(place.path, watched);
    place.name = strrchr(place.path, '/');
    if (!place.inside || !place.name) return place;
    *place.name = 0;
    if (!stat(place.path, &about)) place.folder = about.st_ino;
    *place.name++ = '/';
    return place;
}

static unsigned long number(const char *path) {
    struct stat about;
    return lstat(path, &about) ? 0 : about.st_ino;
}

static unsigned long number_of(int fd) {
    struct stat about;
    return fstat(fd, &about) ? 0 : about.st_ino;
}

#include "points.h"

// Whether this call is the one that fails.
static int fails(const char *of, const char *path) {
    if (!class[0] || !below(path, roots)) return 0;
    int reads = !strcmp(of, "open") || !strcmp(of, "read");
    int mine = !strcmp(class, of) || (!strcmp(class, "short") && !strcmp(of, "write")) || (!strcmp(class, "die") && !reads);
    if (!mine || ++seen_of_class != fault_at) return 0;
    if (!strcmp(class, "die")) syscall(SYS_exit_group, 77, 0, 0, 0, 0, OURS);
    say("fault %s %s\n", class, path);
    return 1;
}

static long opened(long nr, int folder, const char *path, long flags, long mode) {
    struct place place = find(folder, path);
    int made = place.inside && (flags & O_CREAT) && !number(place.path);
    int cut = place.inside && (flags & O_TRUNC) && !made;
    if (place.inside && fails(made ? "create" : "open", place.path)) return -fault_errno;
    long fd = call(nr, folder, (long)path, flags, mode, 0);
    if (fd >= 0 && place.inside && (flags & O_TMPFILE) == O_TMPFILE) say("strange %ld\n", nr);
    else if (fd >= 0 && made) say("create %lu %s %lu\n", place.folder, place.name, number_of(fd));
    else if (fd >= 0 && cut) say("truncate %lu 0\n", number_of(fd));
    return fd;
}

static long written(long nr, int fd, const char *bytes, size_t size, long at) {
    char path[PATH_MAX];
    if (!path_of(fd, path) || !below(path, watched)) return call(nr, fd, (long)bytes, size, at, 0);
    long flags = fcntl(fd, F_GETFL);
    if (fails("write", path)) {
        if (strcmp(class, "short")) return -fault_errno;
        size = (size + 1) / 2;
    }
    if (nr == SYS_write) at = flags & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
    long done = call(nr, fd, (long)bytes, size, at, 0);
    if (done > 0) {
        say("write %lu %ld %ld\n", number_of(fd), at, done);
        tell(bytes, done);
    }
    return done;
}

static long synced(long nr, int fd, int all) {
    char path[PATH_MAX];
    if (!path_of(fd, path) || !below(path, watched)) return call(nr, fd, 0, 0, 0, 0);
    if (fails("sync", path)) {
        say("unsynced %lu\n", number_of(fd));
        return -fault_errno;
    }
    long done = call(nr, fd, 0, 0, 0, 0);
    if (done == 0) all ? say("syncall\n") : say("sync %lu\n", number_of(fd));
    return done;
}

static long linked(int from, const char *old, int to, const char *new, long flags) {
    struct place source = find(from, old), place = find(to, new);
    if (place.inside && fails("link", place.path)) return -fault_errno;
    struct point point = before("link", &place, from, old);
    long done = call(SYS_linkat, from, (long)old, to, (long)new, flags);
    if (done == 0 && place.inside) say("link %lu %s %lu\n", place.folder, place.name, number(source.path));
    after(&point, done);
    return done;
}

static long renamed(int from, const char *old, int to, const char *new, long flags) {
    struct place source = find(from, old), place = find(to, new);
    if (place.inside && fails("rename", place.path)) return -fault_errno;
    struct point point = before("rename", &place, from, old);
    long done = call(SYS_renameat2, from, (long)old, to, (long)new, flags);
    if (done == 0 && (source.inside || place.inside)) {
        if (flags) say("strange %ld\n", (long)SYS_renameat2);
        say("rename %lu %s %lu %s %lu\n", source.folder, source.name, place.folder, place.name, number(place.path));
    }
    after(&point, done);
    return done;
}

static long removed(int folder, const char *path, long flags) {
    struct place place = find(folder, path);
    if (place.inside && fails("unlink", place.path)) return -fault_errno;
    struct point point = before("unlink", &place, folder, NULL);
    long done = call(SYS_unlinkat, folder, (long)path, flags, 0, 0);
    if (done == 0 && place.inside) say("unlink %lu %s\n", place.folder, place.name);
    after(&point, done);
    return done;
}

static long made(int folder, const char *path, long mode) {
    struct place place = find(folder, path);
    // An existing one is not created: only calls that change something may fail.
    if (place.inside && !number(place.path) && fails("mkdir", place.path)) return -fault_errno;
    long done = call(SYS_mkdirat, folder, (long)path, mode, 0, 0);
    if (done == 0 && place.inside) say("mkdir %lu %s %lu\n", place.folder, place.name, number(place.path));
    return done;
}

static long read_in(long nr, int fd, long a, long b, long c) {
    char path[PATH_MAX];
    if (path_of(fd, path) && below(path, watched) && fails("read", path)) return -fault_errno;
    return call(nr, fd, a, b, c, 0);
}

static long done(long nr, long a, long b, long c, long d, long e) {
    switch (nr) {
    case SYS_openat: return opened(nr, a, (char *)b, c, d);
    case SYS_write: return written(nr, a, (char *)b, c, 0);
    case SYS_pwrite64: return written(nr, a, (char *)b, c, d);
    case SYS_fsync:
    case SYS_fdatasync: return synced(nr, a, 0);
    case SYS_syncfs: return synced(nr, a, 1);
    case SYS_linkat: return linked(a, (char *)b, c, (char *)d, e);
    case SYS_renameat2: return renamed(a, (char *)b, c, (char *)d, e);
    case SYS_unlinkat: return removed(a, (char *)b, c);
    case SYS_mkdirat: return made(a, (char *)b, c);
    case SYS_read:
    case SYS_getdents64: return read_in(nr, a, b, c, d);
    case SYS_flock: return locked(a, b);
#ifdef SYS_renameat
    case SYS_renameat: return renamed(a, (char *)b, c, (char *)d, 0);
#endif
#ifdef SYS_open
    case SYS_open: return opened(SYS_openat, AT_FDCWD, (char *)a, b, c);
    case SYS_creat: return opened(SYS_openat, AT_FDCWD, (char *)a, O_CREAT | O_WRONLY | O_TRUNC, b);
    case SYS_link: return linked(AT_FDCWD, (char *)a, AT_FDCWD, (char *)b, 0);
    case SYS_rename: return renamed(AT_FDCWD, (char *)a, AT_FDCWD, (char *)b, 0);
    case SYS_unlink: return removed(AT_FDCWD, (char *)a, 0);
    case SYS_rmdir: return removed(AT_FDCWD, (char *)a, AT_REMOVEDIR);
    case SYS_mkdir: return made(AT_FDCWD, (char *)a, b);
#endif
    default: break;
    }
    // A change that begins to use one of these has to teach it to this file, and to the model of the disk.
    say("strange %ld\n", nr);
    return call(nr, a, b, c, d, e);
}

static const int trapped[] = {
    SYS_openat, SYS_write, SYS_pwrite64, SYS_fsync, SYS_fdatasync, SYS_syncfs, SYS_linkat, SYS_renameat2, SYS_unlinkat,
    SYS_mkdirat, SYS_read, SYS_getdents64, SYS_flock,
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef SYS_open
    SYS_open, SYS_creat, SYS_link, SYS_rename, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_symlink, SYS_mknod,
#endif
    SYS_sync, SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_symlinkat, SYS_mknodat, SYS_sendfile, SYS_splice,
    SYS_pwritev, 425 /* io_uring_setup */, 437 /* openat2 */,
#ifdef SYS_copy_file_range
    SYS_copy_file_range,
#endif
#ifdef SYS_pwritev2
    SYS_pwritev2,
#endif
};

static void handler(int signal, siginfo_t *about, void *context) {
    (void)signal;
    int before = errno;
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE)) sched_yield();
#if defined(__x86_64__)
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    r[REG_RAX] = done(about->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8]);
#elif defined(__aarch64__)
    unsigned long long *r = ((ucontext_t *)context)->uc_mcontext.regs;
    r[0] = done(about->si_syscall, r[0], r[1], r[2], r[3], r[4]);
#else
#error "the registers of this machine are not known here"
#endif
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    errno = before;
}

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("WATCHED"), *to = getenv("TRACE"), *fault = getenv("FAULT");
    if (!folder || !to) return;
    snprintf(watched, sizeof watched, "%s", folder);
    snprintf(roots, sizeof roots, "%.4000s/roots", folder);
    if (fault && sscanf(fault, "%15s %ld %ld", class, &fault_at, &fault_errno) != 3) _exit(98);
    int low = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    trace = fcntl(low, F_DUPFD_CLOEXEC, 900);
    close(low);
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    begin_points();
    if (trace < 0 || sigaction(SIGSYS, &action, NULL)) _exit(97);

    struct sock_filter filter[COUNT(trapped) + 5] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)OURS, COUNT(trapped) + 1, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    for (size_t at = 0; at < COUNT(trapped); at++) {
        struct sock_filter jump = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, trapped[at], COUNT(trapped) - at, 0);
        filter[3 + at] = jump;
    }
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_filter trap = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    filter[3 + COUNT(trapped)] = allow;
    filter[4 + COUNT(trapped)] = trap;
    struct sock_fprog program = {COUNT(filter), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(96);
}
