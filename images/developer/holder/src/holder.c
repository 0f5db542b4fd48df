#include "holder.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "door.h"
#include "session.h"
#include "terminal.h"

/* For how long a full log blocks the program while no backend is attached; then the oldest output is dropped. */
#define BLOCK_DETACHED_MS 60000
/*
 * After the program's end: for how long, and how much, is still read where jobs hold an output open and print on. What the
 * program itself printed is in the kernel's buffer by then, which is a fraction of that.
 */
#define DRAIN_MS 500
#define DRAIN_BYTES LOG_MIN_BYTES
/* Most that is read before it is sent: gathers small reads into large writes, and delays nothing for long. */
#define GATHER_BYTES ((size_t)128 * 1024)
/* What is shown before a terminal's output. It comes in the environment, which the program does not inherit then. */
#define NOTICE "SLIPWAY_NOTICE"
#define NOTICE_SHOWN_BYTES ((size_t)4096)

static struct session held;

static void answer_door(struct session *session) {
    struct knock knock;
    if (door_answer(session->options->door, &knock) != 0) return;
    session_attach(session, knock.in, knock.out, knock.done, knock.offsets);
}

static void read_output(struct session *session, int stream) {
    if (session->is_drained) return;
    output_read(&session->outputs[stream], &session->program, stream, GATHER_BYTES, session->is_dropping);
    int is_full = session_is_full(session);
    if (is_full && session->full_at < 0) session->full_at = clock_ms();
    if (!is_full) session->full_at = -1;
}

/* Whether what was printed after the program's end is as much as is read of that. */
static int is_much_read(const struct session *session) {
    uint64_t bytes = 0;
    for (int stream = 0; stream < STREAMS; stream++)
        bytes += session->outputs[stream].log.end - session->outputs[stream].exited_end;
    return bytes >= DRAIN_BYTES;
}

static int is_empty(const struct session *session, int stream) {
    return session->program.outs[stream] < 0 || session->outputs[stream].is_empty;
}

/* From then on nothing is read any more, so that what is to be told after the last output can be told. */
static int output_is_over(struct session *session) {
    if (!session->program.exited) return 0;
    if (session_is_full(session)) session->draining_since = clock_ms();
    int is_time_over = is_empty(session, OUT) && is_empty(session, ERR) &&
                       clock_ms() - session->draining_since >= DRAIN_MS;
    session->is_drained |= !program_has_output(&session->program) || is_time_over || is_much_read(session);
    return session->is_drained;
}

static void tell_exit(struct session *session) {
    if (session->is_exit_told || !connection_is_open(&session->connection)) return;
    if (connection_has_more(&session->connection, session->outputs)) return;
    unsigned char status[4];
    put_number(status, (uint32_t)session->program.status, sizeof status);
    connection_say(&session->connection, FRAME_EXIT, status, sizeof status);
    session->is_exit_told = 1;
    /* As when a terminal is closed: what the program left behind ends too. */
    session_end(session);
}

static void reap(struct session *session, int signals) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == sizeof info) continue;
    int was_running = !session->program.exited;
    program_reap(&session->program);
    if (was_running && session->program.exited) {
        session->draining_since = clock_ms();
        for (int stream = 0; stream < STREAMS; stream++)
            session->outputs[stream].exited_end = session->outputs[stream].log.end;
    }
    int status;
    if (session->ender <= 0 || waitpid(session->ender, &status, WNOHANG) != session->ender) return;
    session->is_left_over = status != 0;
    session->ender = ENDER_DONE;
}

/* Answers in how many ms it wants to be called again; -1: there is no need. */
static int continue_stopped(struct session *session, int64_t now) {
    struct program *program = &session->program;
    /* What is being ended is stopped so that it forks no more. */
    if (session->ender || !program->is_terminal) return -1;
    if (session->look_at >= 0 && now >= session->look_at) {
        session->look_at = -1;
        if (!program->stopped && terminal_has_stopped_member(program)) program->stopped = SIGSTOP;
    }
    int due = terminal_continue(program, now);
    return due >= 0 || session->look_at < 0 ? due : (int)(session->look_at - now);
}

/* A terminal's exit is collected by being told. That of pipes is kept until the backend says that it has stored it. */
static int is_exit_received(const struct session *session) {
    if (!session->is_exit_told || connection_has_more(&session->connection, session->outputs)) return 0;
    return session->program.is_terminal || session->is_collected;
}

/* What time alone brings. */
static void pass_time(struct session *session) {
    int64_t now = clock_ms();
    session->continue_within = continue_stopped(session, now);
    int is_attached = connection_is_open(&session->connection);
    int is_long_full = session->full_at >= 0 && now - session->full_at >= BLOCK_DETACHED_MS;
    if (!is_attached && is_long_full && !session->options->blocks) session->is_dropping = 1;
    int is_waited = !is_attached && now - session->detached_at >= (int64_t)session->wait_seconds * 1000;
    if (is_waited) session_end(session);
    if (output_is_over(session)) tell_exit(session);
    int is_told = is_attached && is_exit_received(session);
    /* The ender is done, and the exit was received, or no backend came to hear it. */
    if (session->ender == ENDER_DONE && session->program.exited && (is_told || is_waited)) {
        if (is_told && !session->is_left_over) connection_say(&session->connection, FRAME_GONE, NULL, 0);
        if (is_told) connection_send(&session->connection, session->outputs);
        session_detach(session, session->is_left_over ? ENDED_LEFT : ENDED_GONE);
        session->is_over = 1;
    }
}

/* How long nothing needs to be looked at, in ms; -1: until something happens. */
static int patience(const struct session *session) {
    if (session->program.in < 0 && input_waiting(&session->input) > 0) return 0;
    int is_attached = connection_is_open(&session->connection);
    int is_ending = is_attached && !(session->is_exit_told && session->ender == ENDER_DONE);
    if (session->program.exited && (is_ending || !session->is_drained)) return DRAIN_MS / 10;
    int within = is_attached ? -1 : 1000;
    int continues = session->continue_within;
    return continues >= 0 && (within < 0 || continues < within) ? continues : within;
}

enum { SIGNALS, DOOR, FROM_BACKEND, TO_BACKEND, TO_PROGRAM, FROM_PROGRAM, WATCHED = FROM_PROGRAM + STREAMS };

static void watch(struct session *session, int signals, struct pollfd fds[WATCHED]) {
    const struct connection *connection = &session->connection;
    const struct program *program = &session->program;
    int is_attached = connection_is_open(connection);
    int has_more = is_attached && connection_has_more(connection, session->outputs);
    int has_input = input_waiting(&session->input) > 0;
    fds[SIGNALS] = (struct pollfd){.fd = signals, .events = POLLIN};
    fds[DOOR] = (struct pollfd){.fd = session->options->door, .events = POLLIN};
    fds[FROM_BACKEND] = (struct pollfd){.fd = is_attached && !session->is_blocked ? connection->in : -1, .events = POLLIN};
    fds[TO_BACKEND] = (struct pollfd){.fd = has_more ? connection->out : -1, .events = POLLOUT};
    fds[TO_PROGRAM] = (struct pollfd){.fd = has_input ? program->in : -1, .events = POLLOUT};
    for (int stream = 0; stream < STREAMS; stream++) {
        int may_read = !session->is_drained && (session->is_dropping || !output_is_full(&session->outputs[stream]));
        fds[FROM_PROGRAM + stream] = (struct pollfd){.fd = may_read ? program->outs[stream] : -1, .events = POLLIN};
    }
}

static void turn(struct session *session, int signals) {
    struct connection *connection = &session->connection;
    struct pollfd fds[WATCHED];
    watch(session, signals, fds);
    if (poll(fds, WATCHED, patience(session)) < 0) return;
    if (fds[SIGNALS].revents) reap(session, signals);
    /* A terminal that all have closed while it is full takes nothing, and reports that all the time. */
    int is_left = (fds[TO_PROGRAM].revents & POLLHUP) && !(fds[TO_PROGRAM].revents & POLLOUT);
    if (is_left) session_drop_input(session);
    if (is_left || session->program.in < 0 || fds[TO_PROGRAM].revents) {
        session_write_input(session);
        session_obey(session);
    }
    if (fds[FROM_BACKEND].revents) session_receive(session);
    for (int stream = 0; stream < STREAMS; stream++)
        if (fds[FROM_PROGRAM + stream].revents) read_output(session, stream);
    if (connection_is_open(connection) && connection_send(connection, session->outputs) == RECEIVED_END)
        session_detach(session, ENDED_LEFT);
    if (fds[DOOR].revents) answer_door(session);
    pass_time(session);
}

static void show_notice(struct log *log) {
    const char *notice = getenv(NOTICE);
    if (!notice) return;
    size_t length = strnlen(notice, NOTICE_SHOWN_BYTES);
    memcpy(log_room(log, length).iov_base, notice, length);
    log_add(log, length);
    unsetenv(NOTICE);
}

/* Answers 0, or -1 when there is no program. */
static int begin(struct session *session) {
    const struct holder_options *options = session->options;
    struct program *program = &session->program;
    if (log_open(&session->outputs[OUT].log, options->log_bytes) != 0) return -1;
    if (options->is_terminal) {
        show_notice(&session->outputs[OUT].log);
        return program_on_terminal(program, options->id, options->argv);
    }
    if (log_open(&session->outputs[ERR].log, options->log_bytes) != 0) return -1;
    return program_on_pipes(program, options->id, options->argv, options->has_input);
}

int holder_run(const struct holder_options *options) {
    static const uint64_t beginning[STREAMS];
    struct session *session = &held;
    sigset_t children, blocked;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    /* Blocked and not ignored: what ignores the hang-up is spared when a session ends, with all that descends from it. */
    blocked = children;
    sigaddset(&blocked, SIGHUP);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    *session = (struct session){.options = options,
                                .wait_seconds = options->wait_seconds,
                                .program = {.cols = options->cols, .rows = options->rows},
                                .outputs = {{.is_empty = 1}, {.is_empty = 1}},
                                .detached_at = -1,
                                .full_at = -1,
                                .look_at = -1,
                                .continue_within = -1};
    connection_clear(&session->connection);
    if (signals < 0 || begin(session) != 0) return 1;
    session_attach(session, options->in, options->out, options->done, beginning);
    if (chdir("/") != 0) return 1;
    while (!session->is_over) turn(session, signals);
    return 0;
}
