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

#include "processes.h"

/* The shell's codes for a program that is not there or cannot be started. */
#define EXIT_NOT_FOUND 127
#define EXIT_NOT_STARTED 126

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
    int fd;
    pid_t pid = forkpty(&fd, NULL, NULL, &size);
    if (pid < 0) return -1;
    if (pid == 0) {
        struct termios modes;
        /* Erasing takes a whole character then, not one of its bytes. */
        if (tcgetattr(0, &modes) == 0) {
            modes.c_iflag |= IUTF8;
            tcsetattr(0, TCSANOW, &modes);
        }
        setenv("SLIPWAY_SESSION", session, 1);
        become(argv);
    }
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    terminal->fd = fd;
    terminal->leader = pid;
    terminal->exited = 0;
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
    if (waitpid(terminal->leader, &terminal->status, WNOHANG) == terminal->leader) terminal->exited = 1;
}
