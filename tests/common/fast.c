// Time that passes CLOCK_FASTER times as fast for a program that measures or awaits how long something takes; the time of day is what it
// is. To be preloaded. Only waits for events are shortened: those of tokio are.

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long faster(void) {
    const char *by = getenv("CLOCK_FASTER");
    return by ? atoll(by) : 1;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int failed = (int)syscall(SYS_clock_gettime, clock, time);
    long long by = faster();
    if (failed || by == 1 || clock != CLOCK_MONOTONIC) return failed;
    // Seconds since the machine began: far from what would overflow.
    long long seconds = time->tv_sec * by + time->tv_nsec * by / 1000000000;
    time->tv_nsec = time->tv_nsec * by % 1000000000;
    time->tv_sec = seconds;
    return 0;
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout) {
    if (timeout > 0) {
        int shorter = (int)(timeout / faster());
        timeout = shorter > 0 ? shorter : 1;
    }
    return (int)syscall(SYS_epoll_pwait, epoll, events, most, timeout, NULL, 8);
}
