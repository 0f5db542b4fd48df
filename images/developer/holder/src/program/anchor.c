#include "program/anchor.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char *name_at;
static size_t name_bytes;

void anchor_name_at(char **arguments, int count) {
    char *last = arguments[count - 1];
    name_at = arguments[0];
    name_bytes = (size_t)(last + strlen(last) - name_at);
}

static void take_name(const char *name) {
    memset(name_at, 0, name_bytes);
    snprintf(name_at, name_bytes, "%s", name);
}

/* The member of the leader's group. All that matters is that it lives as long as its parent. */
static void be_member(pid_t parent) {
    take_name("slipway-holder: member");
    close_range(0, ~0u, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) pause();
    _exit(0);
}

static void give_terminal(pid_t leader) {
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0) return;
    tcsetpgrp(terminal, leader);
    close(terminal);
}

static void be_anchor(int words) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    if (chdir("/") != 0) _exit(1);
    pid_t self = getpid(), leader = getsid(0);
    pid_t member = fork();
    if (member < 0) _exit(1);
    if (member == 0) be_member(self);
    take_name("slipway-holder: anchor");
    setpgid(0, 0);
    dup2(words, 0);
    /* One of them is the pipe on which the program waits for this process. */
    close_range(1, ~0u, 0);
    char word;
    while (read(0, &word, 1) == 1)
        if (word == ANCHOR_FOREGROUND) give_terminal(leader);
    _exit(0);
}

void anchor_start(int words) {
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) return;
    /* A grandchild, because the program must not have children that it does not know. */
    pid_t between = fork();
    if (between == 0) {
        if (fork() == 0) be_anchor(words);
        _exit(0);
    }
    close(ready[1]);
    char nothing;
    if (between > 0 && waitpid(between, NULL, 0) == between) (void)!read(ready[0], &nothing, 1);
    close(ready[0]);
}
