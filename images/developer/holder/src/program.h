/* The program that is held: on a terminal, or on pipes. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>
#include <sys/types.h>

/* Its outputs. A terminal has the first alone. */
enum { OUT, ERR, STREAMS };

struct program {
    int is_terminal;
    int in;            /* where input is written; -1: it takes none, or none any more */
    int outs[STREAMS]; /* -1: there is none, or it has ended. A terminal's is `in`, too */
    pid_t leader;      /* the program itself: first process of its session */
    uint64_t ticks;    /* when it started, in clock ticks since boot: with the pid it names the process for good */
    unsigned long kills; /* for memory, in its control group, when it started */
    int status;          /* as of waitpid; meaningful once `exited` */
    int exited;
    int stopped;          /* the signal that stopped the leader's group; 0: it runs */
    int64_t continued_at; /* ms on the monotonic clock, when it was continued last */
    int anchor;           /* the pipe to the anchor; -1: there is none */
    uint16_t cols, rows;
};

/*
 * Both start the program with the working directory and environment of this process, and the session's id in
 * SLIPWAY_SESSION: the mark by which its processes are told from others. They answer 0, or -1 with errno.
 */
int program_on_terminal(struct program *program, const char *session, char *const argv[]);
/* Without input it reads an empty file. */
int program_on_pipes(struct program *program, const char *session, char *const argv[], int has_input);

/* Stores the exit status if the program is over, and whether it has stopped. */
void program_reap(struct program *program);
/* Closes its input. Of a terminal this does nothing: its end of input is a key. */
void program_close_input(struct program *program);
/* One of its outputs has ended. */
void program_close_output(struct program *program, int stream);
int program_has_output(const struct program *program);

#endif
