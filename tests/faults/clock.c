/* The clock of the day of one process, moved by as many seconds as a file says: load it first.
 *
 * The file holds one 64-bit number, which may change at any time. Monotonic clocks are left alone,
 * as the kernel leaves them when somebody sets the clock of the day. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *moved_by_s;

__attribute__((constructor)) static void map_the_file(void) {
    const char *path = getenv("WIRELAB_FAULTS_CLOCK");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof *moved_by_s, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        moved_by_s = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && moved_by_s != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *moved_by_s;
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone; /* no zone has been kept there for decades */
    int failed = clock_gettime(CLOCK_REALTIME, &exact);
    if (!failed)
        *now = (struct timeval){exact.tv_sec, exact.tv_nsec / 1000};
    return failed;
}

time_t time(time_t *where) {
    struct timespec exact = {0, 0};
    clock_gettime(CLOCK_REALTIME, &exact);
    if (where != NULL)
        *where = exact.tv_sec;
    return exact.tv_sec;
}
