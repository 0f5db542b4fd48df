#include "terminal.h"

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

#include "anchor.h"
#include "processes.h"

/* The shell's codes for a program that is not there or cannot be started. */
#define EXIT_NOT_FOUND 127
#define EXIT_NOT_STARTED 126
/* Between two times that it is continued: bounds what a program costs that stops itself again at once. */
#define CONTINUE_EVERY_MS 100

/* How many processes of this control group were killed for memory so far; version 2 and 1 keep it in different files. */
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
    /* What this process ignores or blocks must not be inherited: a program would never hear a hang-up. */
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], argv);
    int failure = errno;
    fprintf(stderr, "%s: %s\r\n", argv[0], strerror(failure));
    _exit(failure == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_STARTED);
}

int terminal_open(struct terminal *terminal, const char *session, char *const argv[]) {
    struct winsize size = {.ws_col = terminal->cols, .ws_row = terminal->rows};
    int fd, words[2];
    if (pipe2(words, O_CLOEXEC) != 0) return -1;
    pid_t pid = forkpty(&fd, NULL, NULL, &size);
    if (pid < 0) return -1;
    if (pid == 0) {
        struct termios modes;
        /* Erasing takes a whole character then, not one of its bytes. */
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
    fcntl(fd, F_SETFL, O_NONBLOCK);
    terminal->fd = fd;
    terminal->leader = pid;
    terminal->exited = terminal->stopped = 0;
    terminal->anchor = words[1];
    struct process self;
    terminal->ticks = process_read(pid, &self) == 0 ? self.ticks : 0;
    terminal->kills = memory_kills();
    return 0;
}

void terminal_resize(struct terminal *terminal, uint16_t cols, uint16_t rows) {
    if (cols == 0 || rows == 0 || terminal->fd < 0) return;
    struct winsize size = {.ws_col = cols, .ws_row = rows};
    if (ioctl(terminal->fd, TIOCSWINSZ, &size) != 0) return;
    terminal->cols = cols;
    terminal->rows = rows;
}

void terminal_reap(struct terminal *terminal) {
    if (terminal->exited) return;
    int status;
    if (waitpid(terminal->leader, &status, WNOHANG | WUNTRACED) != terminal->leader) return;
    if (WIFSTOPPED(status)) {
        terminal->stopped = WSTOPSIG(status);
        return;
    }
    terminal->status = status;
    terminal->exited = 1;
    terminal->stopped = 0;
    close(terminal->anchor);
    terminal->anchor = -1;
}

int terminal_has_stopped_member(const struct terminal *terminal) {
    if (terminal->exited || terminal->fd < 0) return 0;
    /* Where another group has the terminal there is job control. */
    return tcgetpgrp(terminal->fd) == terminal->leader && processes_have_stopped(terminal->leader);
}

int terminal_continue(struct terminal *terminal, int64_t now) {
    if (!terminal->stopped) return -1;
    int64_t due = terminal->continued_at + CONTINUE_EVERY_MS;
    if (now < due) return (int)(due - now);
    /* It used a terminal that somebody else has, who may be gone: as a shell's `fg` would, this gives it back first. */
    static const char foreground = ANCHOR_FOREGROUND;
    if (terminal->stopped == SIGTTIN || terminal->stopped == SIGTTOU) (void)!write(terminal->anchor, &foreground, 1);
    terminal->stopped = 0;
    terminal->continued_at = now;
    kill(-terminal->leader, SIGCONT);
    return -1;
}
