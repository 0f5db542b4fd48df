/* The state of one held session, and what a backend may tell it. */
#ifndef SESSION_H
#define SESSION_H

#include <stdint.h>
#include <sys/types.h>

#include "connection.h"
#include "holder.h"
#include "input.h"
#include "output.h"
#include "program.h"

#define ENDER_DONE ((pid_t)-1)

struct session {
    const struct holder_options *options;
    struct program program;
    struct output outputs[STREAMS];
    struct input input;
    struct connection connection;
    uint64_t taken_before, taken_told; /* of all input: when the backend attached; as the backend knows */
    int is_blocked;          /* the next frame is input for which there is no room */
    uint32_t wait_seconds;
    int64_t detached_at, full_at; /* ms; -1: not so */
    int continue_within;     /* ms; -1: nothing has to be continued or looked for */
    int64_t look_at;         /* ms, when to look for stopped processes; -1: no input came since */
    int64_t draining_since;  /* ms; while a log is full time stands still */
    pid_t ender;             /* the process that ends the session's; 0: not begun, ENDER_DONE */
    int is_left_over;        /* whether some of the session's processes could not be ended */
    int is_dropping, is_drained, is_exit_told, is_collected, is_over;
};

int64_t clock_ms(void);
/* Whether an output waits for acknowledgements, which blocks the program. */
int session_is_full(const struct session *session);
/* Ends all of the session's processes, in a process of its own. Calling it again does nothing. */
void session_end(struct session *session);
void session_detach(struct session *session, char reason);
/* Output continues at these offsets, or where what is kept begins: then the backend is told what it lost. */
void session_attach(struct session *session, int in, int out, int done, const uint64_t offsets[STREAMS]);
/* Reads what the backend said, and does it. */
void session_receive(struct session *session);
/* Does what was read already: there may be room for input again. */
void session_obey(struct session *session);
/* Writes input to the program, and tells the backend. */
void session_write_input(struct session *session);
/* No process reads the input. */
void session_drop_input(struct session *session);

#endif
