/*
 * slipway-holder: holds a program, on a terminal or on pipes, so that it outlives the backend that started it.
 *
 *   serve FOLDER ID WAIT_SECONDS COLS ROWS PROGRAM [ARGUMENT...]
 *       starts it on a terminal and attaches this process's stdio
 *   pipe FOLDER ID WAIT_SECONDS LOG_BYTES drop|block none|open ROOT CWD PROGRAM [ARGUMENT...]
 *       the same on pipes, without input or with it; in the folder CWD, which has to be ROOT or within it
 *   attach FOLDER ID OFFSET [ERROR_OFFSET]
 *       attaches this process's stdio from these offsets on
 *   list FOLDER
 *       the ids of what is held, a line each
 *   speaks VERSION
 *       whether this program knows that version of the protocol
 *
 * Stdio carries frames (frames.h). Exits with 0 when the session is over, 3 when there is none, 4 when another backend
 * attached, 5 when it was detached otherwise, 6 when CWD is no folder in ROOT, 1 when it cannot be started, 2 on wrong
 * arguments, which is also what an older version exits with.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anchor.h"
#include "door.h"
#include "holder.h"

#define EXIT_CANNOT 1
#define EXIT_USAGE 2
#define EXIT_NONE 3
#define EXIT_TAKEN 4
#define EXIT_LEFT 5
#define EXIT_FOLDER 6

/* Stays as long as the attachment does, since the engine keeps an exec's pipes only while its process lives. */
static int wait_until_done(int done) {
    char reason;
    ssize_t length;
    do length = read(done, &reason, 1);
    while (length < 0 && errno == EINTR);
    if (length != 1) return EXIT_LEFT;
    return reason == ENDED_GONE ? 0 : reason == ENDED_TAKEN ? EXIT_TAKEN : EXIT_LEFT;
}

static int fail(const char *what) {
    fprintf(stderr, "slipway-holder: %s: %s\n", what, strerror(errno));
    return EXIT_CANNOT;
}

/* Ids become file names. */
static int is_id(const char *text) {
    size_t length = strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_");
    return length > 0 && text[length] == '\0';
}

/* Starts a holder, and stays for as long as this process's stdio is attached to it. */
static int hold(struct holder_options *options) {
    options->door = door_open(options->folder, options->id);
    if (options->door < 0) return fail("cannot listen");
    int done[2];
    if (pipe2(done, O_CLOEXEC) != 0) return fail("no pipe");
    pid_t pid = fork();
    if (pid < 0) {
        door_remove(options->folder, options->id);
        return fail("no process");
    }
    if (pid > 0) {
        close(done[1]);
        close(options->door);
        return wait_until_done(done[0]);
    }
    setsid();
    signal(SIGPIPE, SIG_IGN);
    close(done[0]);
    options->in = fcntl(0, F_DUPFD_CLOEXEC, 3);
    options->out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    options->done = done[1];
    /* The attachment's pipes close with the attachment, not with this process. */
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
    if (nothing > 2) close(nothing);
    int code = holder_run(options);
    door_remove(options->folder, options->id);
    _exit(code);
}

static int serve(char **arguments) {
    struct holder_options options = {
        .folder = arguments[0],
        .id = arguments[1],
        .wait_seconds = (uint32_t)strtoul(arguments[2], NULL, 10),
        .is_terminal = 1,
        .cols = (uint16_t)strtoul(arguments[3], NULL, 10),
        .rows = (uint16_t)strtoul(arguments[4], NULL, 10),
        .log_bytes = LOG_MIN_BYTES,
        .argv = arguments + 5,
    };
    return hold(&options);
}

/* Asked of the folder that this process is in, so that no link can change between the question and the start. */
static int enter(const char *root, const char *folder) {
    char here[PATH_MAX];
    if (chdir(folder) != 0 || !getcwd(here, sizeof here)) return -1;
    size_t length = strlen(root);
    if (strncmp(here, root, length) != 0 || (here[length] != '/' && here[length] != '\0')) return -1;
    return getenv("PWD") ? setenv("PWD", here, 1) : 0;
}

static int pipes(char **arguments) {
    struct holder_options options = {
        .folder = arguments[0],
        .id = arguments[1],
        .wait_seconds = (uint32_t)strtoul(arguments[2], NULL, 10),
        .log_bytes = log_size(strtoull(arguments[3], NULL, 10)),
        .blocks = strcmp(arguments[4], "block") == 0,
        .has_input = strcmp(arguments[5], "open") == 0,
        .argv = arguments + 8,
    };
    if (enter(arguments[6], arguments[7]) != 0) return EXIT_FOLDER;
    return hold(&options);
}

static int attach(char **arguments, int has_error_offset) {
    int done[2];
    if (pipe2(done, O_CLOEXEC) != 0) return fail("no pipe");
    struct knock knock = {.offsets = {strtoull(arguments[2], NULL, 10)}, .in = 0, .out = 1, .done = done[1]};
    if (has_error_offset) knock.offsets[ERR] = strtoull(arguments[3], NULL, 10);
    if (door_knock(arguments[0], arguments[1], &knock) != 0) return EXIT_NONE;
    close(done[1]);
    return wait_until_done(done[0]);
}

/* A door without a holder is removed: its container was stopped, or its holder killed. */
static int list(char **arguments) {
    DIR *folder = opendir(arguments[0]);
    if (!folder) return errno == ENOENT ? 0 : fail("cannot list");
    for (struct dirent *item; (item = readdir(folder));) {
        if (item->d_type != DT_SOCK || !is_id(item->d_name)) continue;
        int is_held = door_is_held(arguments[0], item->d_name);
        if (is_held == 1) puts(item->d_name);
        if (is_held == 0) door_remove(arguments[0], item->d_name);
    }
    closedir(folder);
    return 0;
}

int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    anchor_name_at(arguments, count);
    const char *command = count > 2 ? arguments[1] : "";
    int has_id = count > 3 && is_id(arguments[3]);
    if (strcmp(command, "serve") == 0 && count > 7 && has_id) return serve(arguments + 2);
    if (strcmp(command, "pipe") == 0 && count > 10 && has_id) return pipes(arguments + 2);
    if (strcmp(command, "attach") == 0 && (count == 5 || count == 6) && has_id) return attach(arguments + 2, count == 6);
    if (strcmp(command, "list") == 0 && count == 3) return list(arguments + 2);
    if (strcmp(command, "speaks") == 0) return strtoul(arguments[2], NULL, 10) <= PROTOCOL_VERSION ? 0 : EXIT_USAGE;
    fputs("usage: slipway-holder serve|pipe|attach|list FOLDER ...\n", stderr);
    return EXIT_USAGE;
}
