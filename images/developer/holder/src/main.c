/*
 * slipway-holder: holds a program, so that it outlives the server that started it.
 *
 *   serve FOLDER ID WAIT_SECONDS COLS ROWS PROGRAM [ARGUMENT...]
 *       starts the program on a terminal, and attaches this process's stdio
 *   hold FOLDER ID WAIT_SECONDS LOG_BYTES WHEN_FULL IO COLS ROWS DIRECTORY PROGRAM [ARGUMENT...]
 *       the same for any program. WHEN_FULL: drop, block. IO: terminal, no-input, input. With its links resolved, the
 *       DIRECTORY has to be inside the working directory
 *   attach FOLDER ID OFFSET [ERROR_OFFSET]
 *       attaches this process's stdio, from these offsets of the outputs on
 *   list FOLDER
 *       prints the ids of held sessions, one per line
 *   speaks VERSION
 *       checks whether it knows that version of the protocol
 *
 * Stdio carries frames (frames.h). Exit codes: 0 if the session is over, 1 if it cannot be started, 2 for wrong
 * arguments, 3 if there is no such session, 4 if another server attached, 5 if it was detached otherwise, 6 for a wrong
 * directory.
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

#include "holder.h"
#include "program/anchor.h"
#include "server/door.h"
#include "streams/log.h"

#define EXIT_CANNOT 1
#define EXIT_USAGE 2
#define EXIT_NONE 3
#define EXIT_TAKEN 4
#define EXIT_LEFT 5
#define EXIT_DIRECTORY 6

/* Stays as long as the attachment, because the engine keeps an exec's pipes only while its process lives. */
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

/* Starts the holder in a separate process, and stays as long as the first attachment. */
static int start(struct holder_options *options) {
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
    /* The attachment's pipes must close with the attachment, not with this process. */
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
    if (nothing > 2) close(nothing);
    int code = holder_run(options);
    door_remove(options->folder, options->id);
    _exit(code);
}

static uint16_t to_size(const char *text) { return (uint16_t)strtoul(text, NULL, 10); }

static int serve(char **arguments) {
    return start(&(struct holder_options){
        .folder = arguments[0],
        .id = arguments[1],
        .wait_seconds = (uint32_t)strtoul(arguments[2], NULL, 10),
        .log_bytes = LOG_BYTES,
        .may_drop = 1,
        .io = IO_TERMINAL,
        .cols = to_size(arguments[3]),
        .rows = to_size(arguments[4]),
        .argv = arguments + 5,
    });
}

/* Enters the directory and checks it from inside, so that no link can change between the check and the start. */
static int enter(const char *directory) {
    char own[PATH_MAX], now[PATH_MAX];
    if (!getcwd(own, sizeof own) || chdir(directory) != 0 || !getcwd(now, sizeof now)) return -1;
    size_t length = strcmp(own, "/") == 0 ? 0 : strlen(own);
    return strncmp(now, own, length) == 0 && (now[length] == '/' || now[length] == '\0') ? 0 : -1;
}

/* Returns which of the words it is, or -1. */
static int one_of(const char *text, const char *const words[], int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0) return i;
    return -1;
}

static int hold(char **arguments) {
    static const char *const when_full[] = {"drop", "block"}, *const ios[] = {"terminal", "no-input", "input"};
    int full = one_of(arguments[4], when_full, 2), io = one_of(arguments[5], ios, 3);
    if (full < 0 || io < 0) return EXIT_USAGE;
    if (enter(arguments[8]) != 0) return EXIT_DIRECTORY;
    return start(&(struct holder_options){
        .folder = arguments[0],
        .id = arguments[1],
        .wait_seconds = (uint32_t)strtoul(arguments[2], NULL, 10),
        .log_bytes = strtoul(arguments[3], NULL, 10),
        .may_drop = full == 0,
        .io = (enum io)io,
        .cols = to_size(arguments[6]),
        .rows = to_size(arguments[7]),
        .argv = arguments + 9,
    });
}

static int attach(char **arguments, int count) {
    int done[2];
    if (pipe2(done, O_CLOEXEC) != 0) return fail("no pipe");
    struct knock knock = {.in = 0, .out = 1, .done = done[1]};
    for (int i = 0; i < count - 2; i++) knock.offsets[i] = strtoull(arguments[2 + i], NULL, 10);
    if (door_knock(arguments[0], arguments[1], &knock) != 0) return EXIT_NONE;
    close(done[1]);
    return wait_until_done(done[0]);
}

/* A door without a holder is removed: its container was stopped, or its holder was killed. */
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
    if (strcmp(command, "hold") == 0 && count > 11 && has_id) return hold(arguments + 2);
    if (strcmp(command, "attach") == 0 && (count == 5 || count == 6) && has_id) return attach(arguments + 2, count - 2);
    if (strcmp(command, "speaks") == 0 && count == 3) return atoi(arguments[2]) > PROTOCOL_VERSION ? EXIT_USAGE : 0;
    if (strcmp(command, "list") == 0 && count == 3) return list(arguments + 2);
    fputs("usage: slipway-holder serve|hold|attach|list|speaks ...\n", stderr);
    return EXIT_USAGE;
}
