/* The program, on a pseudo-terminal or on pipes. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>
#include <sys/types.h>

#include "frames.h"

enum io { IO_TERMINAL, IO_NO_INPUT, IO_INPUT };

struct program {
    enum io io;
    int in;           /* where its input goes; -1: it accepts none */
    int out[STREAMS]; /* where its outputs come from; -1: no more can come. On a terminal the first is also `in` */
    pid_t leader;     /* the first process of its session */
    uint64_t ticks;   /* when it started, in clock ticks since boot; with the pid this is unique */
    unsigned long kills; /* memory kills in its control group when it started */
    int status;          /* as of waitpid; valid once `exited` */
    int exited;
    int stopped;          /* the signal that stopped the leader's group; 0: it runs */
    int64_t continued_at; /* ms on the monotonic clock, at the last continuation */
    int anchor;           /* the pipe to the anchor; -1: none */
    uint16_t cols, rows;  /* of its terminal */
};

/*
 * Starts the program with the working directory and the environment of this process. SLIPWAY_SESSION has the session's
 * id, which marks its processes. Returns 0, or -1 with errno.
 */
int program_start(struct program *program, const char *session, char *const argv[]);
void program_close_output(struct program *program, enum stream stream);
/* Ends the program's input. A terminal has no end of input. */
void program_close_input(struct program *program);
void program_resize(struct program *program, uint16_t cols, uint16_t rows);
/* Collects the exit status if the program has ended, and notes whether it has stopped. */
void program_reap(struct program *program);
/* Whether a process of the leader's group has stopped alone, which only its parent is told. Reads all processes. */
int program_has_stopped_member(const struct program *program);
/*
 * Continues the leader's group if it has stopped, because no shell has it as a job. Does so at once, but with a pause
 * if it stops again. Returns in how many ms to call it again; -1: not needed.
 */
int program_continue(struct program *program, int64_t now);

#endif
