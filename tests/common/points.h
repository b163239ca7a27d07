// Places in the work of a program that have a name: an object of a root gets its name or loses it. Each is recorded, and
// at one of them the program is killed, on demand. For shim.c, which includes it.
//
// POINTS      the file of the record: "did <call> <path> <word>", and "died <side> <call> <path> <word>"
// KILL        "<side> <call> <n> <word> <pattern>": SIGKILL before the n-th call (link, rename, unlink) of which the path fits
//             the pattern, or after the n-th that succeeds. `-` is any word
// HOLD        likewise, and SIGSTOP
// UNLOCK      set: every process that locks a root gets the lock, even if another one holds it
//
// Paths are those below WATCHED. The word of an entry of the log is its kind, and of a decision its outcome behind a colon;
// it is `-` for all else.

#include <fnmatch.h>
#include <sys/file.h>

#define WORD 64

static int points = -1, unlocked, kill_with = SIGKILL;
static char kill_side[8], kill_call[8], kill_word[WORD], kill_path[PATH_MAX];
static long kill_at, seen_of_kill;

// The record of a call, made before it.
struct point {
    const char *of, *path;
    char word[WORD];
    int mine;
};

// The text between a mark and the next quotation mark.
static int quoted(const char *text, const char *mark, char *word, size_t size) {
    const char *from = strstr(text, mark);
    size_t at = 0;
    if (!from) return 0;
    for (from += strlen(mark); from[at] && from[at] != '"' && at + 1 < size; at++) word[at] = from[at];
    word[at] = 0;
    return 1;
}

static void word_of(int folder, const char *path, char *word) {
    char text[1024];
    long fd = call(SYS_openat, folder, (long)path, O_RDONLY, 0, 0);
    long size = fd < 0 ? -1 : call(SYS_read, fd, (long)text, sizeof text - 1, 0, 0);
    if (fd >= 0) close(fd);
    text[size < 0 ? 0 : size] = 0;
    if (!quoted(text, "\"kind\":\"", word, WORD / 2)) return;
    size_t used = strlen(word);
    if (!strcmp(word, "Decision") && quoted(text, "\"outcome\":\"", word + used + 1, WORD / 2)) word[used] = ':';
}

static void tell_point(const char *what, const struct point *point) {
    char line[2 * PATH_MAX];
    int size = snprintf(line, sizeof line, "%s %s %s %s\n", what, point->of, point->path, point->word);
    if (call(SYS_write, points, (long)line, size, 0, 0) != size) _exit(95);
}

static void die_if(const struct point *point, const char *side) {
    if (!point->mine || strcmp(kill_side, side) || ++seen_of_kill != kill_at) return;
    char what[32];
    snprintf(what, sizeof what, "died %s", side);
    tell_point(what, point);
    // This very thread, which would otherwise continue for a while.
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), kill_with);
}

// A call is about to be done: `old` is what gets the name, if anything does.
static struct point before(const char *of, const struct place *place, int folder, const char *old) {
    struct point point = {.of = of, .path = place->path + strlen(watched) + 1, .word = "-"};
    int roots = !strncmp(point.path, "private/", 8) || !strncmp(point.path, "public/", 7);
    if (points < 0 || !place->inside || !roots) return (struct point){0};
    if (old && !strncmp(point.path, "private/log/", 12)) word_of(folder, old, point.word);
    point.mine = !strcmp(kill_call, of) && !fnmatch(kill_path, point.path, 0) &&
                 (!strcmp(kill_word, "-") || !strcmp(kill_word, point.word));
    die_if(&point, "before");
    return point;
}

static void after(const struct point *point, long done) {
    if (!point->of || done != 0) return;
    tell_point("did", point);
    die_if(point, "after");
}

// Every process that locks a root gets the lock; files that are being written are locked as usual.
static long locked(int fd, long how) {
    char path[PATH_MAX];
    const char *name = path_of(fd, path) ? strrchr(path, '/') : NULL;
    if (unlocked && name && !strcmp(name, "/lock") && below(path, watched)) return 0;
    return call(SYS_flock, fd, how, 0, 0, 0);
}

static void begin_points(void) {
    const char *to = getenv("POINTS"), *killed = getenv("KILL"), *held = getenv("HOLD");
    if (held) killed = held, kill_with = SIGSTOP;
    unlocked = getenv("UNLOCK") != NULL;
    if (!to) return;
    if (killed && sscanf(killed, "%7s %7s %ld %63s %4095s", kill_side, kill_call, &kill_at, kill_word, kill_path) != 5)
        _exit(94);
    int low = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    points = fcntl(low, F_DUPFD_CLOEXEC, 900);
    close(low);
    if (points < 0) _exit(93);
}
