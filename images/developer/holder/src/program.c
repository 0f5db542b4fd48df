#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "anchor.h"
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

static void become(const char *session, char *const argv[], const char *line_end) {
    /* A program that inherits an ignored or blocked signal would never get it. */
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setenv("SLIPWAY_SESSION", session, 1);
    execvp(argv[0], argv);
    int failure = errno;
    fprintf(stderr, "%s: %s%s", argv[0], strerror(failure), line_end);
    _exit(failure == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_STARTED);
}

static void begun(struct program *program, pid_t leader) {
    program->leader = leader;
    program->exited = program->stopped = 0;
    struct process self;
    program->ticks = process_read(leader, &self) == 0 ? self.ticks : 0;
    program->kills = memory_kills();
}

static void own(int fd) {
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

int program_on_terminal(struct program *program, const char *session, char *const argv[]) {
    struct winsize size = {.ws_col = program->cols, .ws_row = program->rows};
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
        become(session, argv, "\r\n");
    }
    close(words[0]);
    fcntl(words[1], F_SETFL, O_NONBLOCK);
    own(fd);
    program->is_terminal = 1;
    program->in = program->outs[OUT] = fd;
    program->outs[ERR] = -1;
    program->anchor = words[1];
    begun(program, pid);
    return 0;
}

/* The ends of one pipe: [0] is read, [1] is written. */
static int open_pipes(int pipes[3][2]) {
    for (int i = 0; i < 3; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) == 0) continue;
        while (i-- > 0) {
            close(pipes[i][0]);
            close(pipes[i][1]);
        }
        return -1;
    }
    return 0;
}

int program_on_pipes(struct program *program, const char *session, char *const argv[], int has_input) {
    int pipes[3][2];
    if (open_pipes(pipes) != 0) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        /* Without input, descriptor 0 stays what it is: the empty file. */
        if (has_input) dup2(pipes[0][0], 0);
        dup2(pipes[1][1], 1);
        dup2(pipes[2][1], 2);
        become(session, argv, "\n");
    }
    close(pipes[0][0]);
    close(pipes[1][1]);
    close(pipes[2][1]);
    program->is_terminal = 0;
    program->in = pipes[0][1];
    program->outs[OUT] = pipes[1][0];
    program->outs[ERR] = pipes[2][0];
    program->anchor = -1;
    if (pid < 0) return -1;
    own(program->in);
    own(program->outs[OUT]);
    own(program->outs[ERR]);
    if (!has_input) program_close_input(program);
    begun(program, pid);
    return 0;
}

void program_reap(struct program *program) {
    if (program->exited) return;
    int status;
    if (waitpid(program->leader, &status, WNOHANG | WUNTRACED) != program->leader) return;
    if (WIFSTOPPED(status)) {
        program->stopped = WSTOPSIG(status);
        return;
    }
    program->status = status;
    program->exited = 1;
    program->stopped = 0;
    if (program->anchor >= 0) close(program->anchor);
    program->anchor = -1;
}

void program_close_input(struct program *program) {
    if (program->is_terminal || program->in < 0) return;
    close(program->in);
    program->in = -1;
}

void program_close_output(struct program *program, int stream) {
    close(program->outs[stream]);
    program->outs[stream] = -1;
    if (program->is_terminal) program->in = -1;
}

int program_has_output(const struct program *program) { return program->outs[OUT] >= 0 || program->outs[ERR] >= 0; }
