/* The pseudo-terminal and the program on it. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdint.h>
#include <sys/types.h>

struct terminal {
    int fd;         /* the controlling side; -1 once nothing can be read from it any more */
    pid_t leader;   /* the program: first process of its session */
    uint64_t ticks; /* when it started, in clock ticks since boot: with the pid it names the process for good */
    unsigned long kills; /* for memory, in its control group, when it started */
    int status;     /* as of waitpid; meaningful once `exited` */
    int exited;
    int stopped;          /* the signal that stopped the leader's group; 0: it runs */
    int64_t continued_at; /* ms on the monotonic clock, when it was continued last */
    int anchor;           /* the pipe to the anchor; -1: there is none */
    uint16_t cols, rows;
};

/*
 * Starts the program with the working directory and environment of this process, and the session's id in SLIPWAY_SESSION:
 * the mark by which its processes are told from others. Answers 0, or -1 with errno.
 */
int terminal_open(struct terminal *terminal, const char *session, char *const argv[]);
void terminal_resize(struct terminal *terminal, uint16_t cols, uint16_t rows);
/* Takes the exit status if the program is over, and notes whether it has stopped. */
void terminal_reap(struct terminal *terminal);
/*
 * Whether one of the leader's group has stopped by itself alone, of which only its parent is told. Looks at all processes.
 */
int terminal_has_stopped_member(const struct terminal *terminal);
/*
 * Continues the leader's group where it has stopped: no shell has it as a job, so nobody else does. At once, but not without
 * pause where it stops again. Answers in how many ms it wants to be called again; -1: there is no need.
 */
int terminal_continue(struct terminal *terminal, int64_t now);

#endif
