// A clock that is wrong by CLOCK_BY seconds. To be preloaded.

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    int failed = (int)syscall(SYS_clock_gettime, clock, time);
    const char *by = getenv("CLOCK_BY");
    if (!failed && by && clock == CLOCK_REALTIME) time->tv_sec += atoll(by);
    return failed;
}
