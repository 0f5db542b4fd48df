#include "program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "program/anchor.h"
#include "program/processes.h"

/* The shell's exit codes for a program that does not exist or cannot be started. */
#define EXIT_NOT_FOUND 127
#define EXIT_NOT_STARTED 126
/* Shortest time between two continuations. It limits the CPU time for a program that stops itself again at once. */
#define CONTINUE_EVERY_MS 100

/* Memory kills in this control group so far. Version 2 and version 1 have different files. */
static unsigned long memory_kills(void) {
    static const char *const files[] = {"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"};
    unsigned long count = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(files[i], "re");
        if (!file) continue;
        char line[128];
        while (fgets(line, sizeof line, file)) sscanf(line, "oom_kill %lu", &count);
        fclose(file);
    }
    return count;
}

static void become(char *const argv[]) {
    /* Signals that this process ignores or blocks must not be inherited, or a program would never get a hang-up. */
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], argv);
    int failure = errno;
    fprintf(stderr, "%s: %s%s\n", argv[0], strerror(failure), isatty(2) ? "\r" : "");
    _exit(failure == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_STARTED);
}

/* Returns the pid of the program, which has the other ends. */
static pid_t start_on_terminal(struct program *program, const char *session, char *const argv[]) {
    struct winsize size = {.ws_col = program->cols, .ws_row = program->rows};
    int fd, words[2];
    if (pipe2(words, O_CLOEXEC) != 0) return -1;
    pid_t pid = forkpty(&fd, NULL, NULL, &size);
    if (pid < 0) return -1;
    if (pid == 0) {
        struct termios modes;
        /* Erasing then removes a whole character, not one of its bytes. */
        if (tcgetattr(0, &modes) == 0) {
            modes.c_iflag |= IUTF8;
            tcsetattr(0, TCSANOW, &modes);
        }
        anchor_start(words[0]);
        setenv("SLIPWAY_SESSION", session, 1);
        become(argv);
    }
    close(words[0]);
    fcntl(words[1], F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    program->in = program->out[STREAM_OUT] = fd;
    program->anchor = words[1];
    return pid;
}

static pid_t start_on_pipes(struct program *program, const char *session, char *const argv[]) {
    int in[2], out[2], error[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0) return -1;
    pid_t pid = fork();
    if (pid < 0) return -1;
    if (pid == 0) {
        setsid();
        /* Without input, 0 is /dev/null already. */
        if (program->io == IO_INPUT) dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(error[1], 2);
        setenv("SLIPWAY_SESSION", session, 1);
        become(argv);
    }
    close(in[0]);
    close(out[1]);
    close(error[1]);
    program->in = in[1];
    program->out[STREAM_OUT] = out[0];
    program->out[STREAM_ERROR] = error[0];
    if (program->io == IO_NO_INPUT) program_close_input(program);
    return pid;
}

int program_start(struct program *program, const char *session, char *const argv[]) {
    program->in = program->out[STREAM_OUT] = program->out[STREAM_ERROR] = program->anchor = -1;
    int is_terminal = program->io == IO_TERMINAL;
    pid_t pid = is_terminal ? start_on_terminal(program, session, argv) : start_on_pipes(program, session, argv);
    if (pid < 0) return -1;
    const int ends[] = {program->in, program->out[STREAM_OUT], program->out[STREAM_ERROR]};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] >= 0) fcntl(ends[i], F_SETFL, O_NONBLOCK);
    program->leader = pid;
    program->exited = program->stopped = 0;
    struct process self;
    program->ticks = process_read(pid, &self) == 0 ? self.ticks : 0;
    program->kills = memory_kills();
    return 0;
}

void program_close_output(struct program *program, enum stream stream) {
    close(program->out[stream]);
    program->out[stream] = -1;
    if (program->io == IO_TERMINAL) program->in = -1;
}

void program_close_input(struct program *program) {
    if (program->io == IO_TERMINAL || program->in < 0) return;
    close(program->in);
    program->in = -1;
}

void program_resize(struct program *program, uint16_t cols, uint16_t rows) {
    if (cols == 0 || rows == 0 || program->io != IO_TERMINAL || program->in < 0) return;
    struct winsize size = {.ws_col = cols, .ws_row = rows};
    if (ioctl(program->in, TIOCSWINSZ, &size) != 0) return;
    program->cols = cols;
    program->rows = rows;
}

void program_reap(struct program *program) {
    if (program->exited) return;
    int status;
    if (waitpid(program->leader, &status, WNOHANG | WUNTRACED) != program->leader) return;
    if (WIFSTOPPED(status)) {
        /* Without a terminal no key stops the program. If another process stops it, that one has to continue it. */
        if (program->io == IO_TERMINAL) program->stopped = WSTOPSIG(status);
        return;
    }
    program->status = status;
    program->exited = 1;
    program->stopped = 0;
    if (program->anchor >= 0) close(program->anchor);
    program->anchor = -1;
}

int program_has_stopped_member(const struct program *program) {
    if (program->io != IO_TERMINAL || program->exited || program->in < 0) return 0;
    /* If another group has the terminal, there is job control already. */
    return tcgetpgrp(program->in) == program->leader && processes_have_stopped(program->leader);
}

int program_continue(struct program *program, int64_t now) {
    if (!program->stopped) return -1;
    int64_t due = program->continued_at + CONTINUE_EVERY_MS;
    if (now < due) return (int)(due - now);
    /* Another group has the terminal, and may be gone. Like a shell's `fg`, this gives the terminal back first. */
    static const char foreground = ANCHOR_FOREGROUND;
    if (program->stopped == SIGTTIN || program->stopped == SIGTTOU) (void)!write(program->anchor, &foreground, 1);
    program->stopped = 0;
    program->continued_at = now;
    kill(-program->leader, SIGCONT);
    return -1;
}
