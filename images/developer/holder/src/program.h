/* The program, on a pseudo-terminal or on pipes. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>
#include <sys/types.h>

#include "frames.h"

enum io { IO_TERMINAL, IO_NO_INPUT, IO_INPUT };

struct program {
    enum io io;
    int in;           /* where its input goes; -1: it takes none */
    int out[STREAMS]; /* where its outputs come from; -1 once nothing can come any more. A terminal's first is also `in` */
    pid_t leader;     /* the first process of its session */
    uint64_t ticks;   /* when it started, in clock ticks since boot: with the pid it names the process for good */
    unsigned long kills; /* for memory, in its control group, when it started */
    int status;          /* as of waitpid; meaningful once `exited` */
    int exited;
    int stopped;          /* the signal that stopped the leader's group; 0: it runs */
    int64_t continued_at; /* ms on the monotonic clock, when it was continued last */
    int anchor;           /* the pipe to the anchor; -1: there is none */
    uint16_t cols, rows;  /* of its terminal */
};

/*
 * Starts the program with the working directory and environment of this process, and the session's id in SLIPWAY_SESSION:
 * the mark by which its processes are told from others. Answers 0, or -1 with errno.
 */
int program_start(struct program *program, const char *session, char *const argv[]);
void program_close_output(struct program *program, enum stream stream);
/* The program reads the end of its input. A terminal has none. */
void program_close_input(struct program *program);
void program_resize(struct program *program, uint16_t cols, uint16_t rows);
/* Takes the exit status if the program is over, and notes whether it has stopped. */
void program_reap(struct program *program);
/*
 * Whether one of the leader's group has stopped by itself alone, of which only its parent is told. Looks at all processes.
 */
int program_has_stopped_member(const struct program *program);
/*
 * Continues the leader's group where it has stopped: no shell has it as a job, so nobody else does. At once, but not without
 * pause where it stops again. Answers in how many ms it wants to be called again; -1: there is no need.
 */
int program_continue(struct program *program, int64_t now);

#endif
