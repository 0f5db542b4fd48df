#include "holder.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "server/attachment.h"

/* How long a full log blocks the program while no server is attached. Then the oldest output is dropped. */
#define BLOCK_DETACHED_MS 60000
/*
 * Limits for reading after the program's end, in time and in bytes per output. Jobs may hold the output open and print
 * on. The program's own last output is in the kernel's buffer by then, which is a fraction of that.
 */
#define DRAIN_MS 500
#define DRAIN_BYTES LOG_BYTES
/* Time between two checks of deadlines. */
#define LOOK_EVERY_MS 1000
/* Environment variable with text to show before the program's output. The program does not inherit it. */
#define NOTICE "SLIPWAY_NOTICE"
#define NOTICE_SHOWN_BYTES ((size_t)4096)

static struct holder held;

static int log_is_full(const struct holder *holder) {
    return output_is_full(&holder->outputs[STREAM_OUT]) || output_is_full(&holder->outputs[STREAM_ERROR]);
}

static void read_output(struct holder *holder, enum stream stream) {
    int fd = holder->program.out[stream];
    if (fd < 0 || holder->is_drained) return;
    if (output_read(&holder->outputs[stream], fd, clock_ms()) != 0) program_close_output(&holder->program, stream);
}

/* True once no more output is read, so that the exit can be reported after the last output. */
static int output_is_over(struct holder *holder) {
    if (!holder->program.exited) return 0;
    if (log_is_full(holder)) holder->draining_since = clock_ms();
    int is_time_over = clock_ms() - holder->draining_since >= DRAIN_MS, is_over = 1;
    for (int i = 0; i < STREAMS; i++) {
        const struct output *output = &holder->outputs[i];
        if (holder->program.out[i] < 0) continue;
        is_over &= (output->is_empty && is_time_over) || output->log.end - output->exited_end >= DRAIN_BYTES;
    }
    holder->is_drained |= is_over;
    return holder->is_drained;
}

static void tell_exit(struct holder *holder) {
    if (holder->told_at >= 0 || !connection_is_open(&holder->connection)) return;
    if (connection_has_more(&holder->connection, holder->outputs)) return;
    unsigned char status[4];
    put_number(status, (uint32_t)holder->program.status, sizeof status);
    connection_say(&holder->connection, FRAME_EXIT, status, sizeof status);
    holder->told_at = clock_ms();
    /* As for a closed terminal, the program's remaining processes end too. */
    attachment_end_session(holder);
}

static void reap(struct holder *holder, int signals) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == sizeof info) continue;
    int was_running = !holder->program.exited;
    program_reap(&holder->program);
    if (was_running && holder->program.exited) {
        holder->draining_since = clock_ms();
        for (int i = 0; i < STREAMS; i++) holder->outputs[i].exited_end = holder->outputs[i].log.end;
    }
    ending_reap(&holder->ending);
}

/* Returns in how many ms to call it again; -1: not needed. */
static int continue_stopped(struct holder *holder, int64_t now) {
    struct program *program = &holder->program;
    /* Processes that are being ended are stopped so that they cannot fork. They must not be continued. */
    if (ending_has_begun(&holder->ending)) return -1;
    if (holder->look_at >= 0 && now >= holder->look_at) {
        holder->look_at = -1;
        if (!program->stopped && program_has_stopped_member(program)) program->stopped = SIGSTOP;
    }
    int due = program_continue(program, now);
    return due >= 0 || holder->look_at < 0 ? due : (int)(holder->look_at - now);
}

static void drop_where_nobody_reads(struct holder *holder, int64_t now) {
    if (!holder->options->may_drop) return;
    for (int i = 0; i < STREAMS; i++) {
        struct output *output = &holder->outputs[i];
        if (output->full_at >= 0 && now - output->full_at >= BLOCK_DETACHED_MS) output->is_dropping = 1;
    }
}

/* Handles deadlines. */
static void pass_time(struct holder *holder) {
    int64_t now = clock_ms(), wait_ms = (int64_t)holder->wait_seconds * 1000;
    holder->continue_within = continue_stopped(holder, now);
    int is_attached = connection_is_open(&holder->connection);
    if (!is_attached) drop_where_nobody_reads(holder, now);
    int is_waited = !is_attached && now - holder->detached_at >= wait_ms;
    if (is_waited) attachment_end_session(holder);
    if (output_is_over(holder)) tell_exit(holder);
    int has_more = is_attached && connection_has_more(&holder->connection, holder->outputs);
    int is_told = is_attached && holder->told_at >= 0 && !has_more;
    /* A server that was killed just now has not stored the end, so the end waits for the next one. */
    int is_heard = is_told && (holder->is_collected || now - holder->told_at >= wait_ms);
    if (ending_is_done(&holder->ending) && holder->program.exited && (is_heard || is_waited)) {
        int is_left_over = holder->ending.is_left_over;
        if (is_heard && !is_left_over) connection_say(&holder->connection, FRAME_GONE, NULL, 0);
        if (is_heard) connection_send(&holder->connection, holder->outputs);
        attachment_end(holder, is_left_over ? ENDED_LEFT : ENDED_GONE);
        holder->is_over = 1;
    }
}

/* How long poll may wait, in ms; -1: until an event. */
static int patience(const struct holder *holder) {
    if (holder->program.in < 0 && input_waiting(&holder->input) > 0) return 0;
    int is_attached = connection_is_open(&holder->connection);
    if (holder->program.exited && !holder->is_drained) return DRAIN_MS / 10;
    int within = is_attached && !holder->program.exited ? -1 : LOOK_EVERY_MS;
    int continues = holder->continue_within;
    return continues >= 0 && (within < 0 || continues < within) ? continues : within;
}

static int output_to_poll(const struct holder *holder, enum stream stream) {
    return output_is_full(&holder->outputs[stream]) || holder->is_drained ? -1 : holder->program.out[stream];
}

static void turn(struct holder *holder, int signals) {
    struct connection *connection = &holder->connection;
    const struct program *program = &holder->program;
    int is_attached = connection_is_open(connection);
    int has_more = is_attached && connection_has_more(connection, holder->outputs);
    struct pollfd fds[] = {
        {.fd = signals, .events = POLLIN},
        {.fd = holder->options->door, .events = POLLIN},
        {.fd = output_to_poll(holder, STREAM_OUT), .events = POLLIN},
        {.fd = output_to_poll(holder, STREAM_ERROR), .events = POLLIN},
        {.fd = input_waiting(&holder->input) > 0 ? program->in : -1, .events = POLLOUT},
        {.fd = is_attached && !holder->is_blocked ? connection->in : -1, .events = POLLIN},
        {.fd = has_more ? connection->out : -1, .events = POLLOUT},
    };
    if (poll(fds, sizeof fds / sizeof *fds, patience(holder)) < 0) return;
    if (fds[0].revents) reap(holder, signals);
    /*
     * All readers have closed the full terminal or pipe. It accepts no more input, and poll reports that all the time.
     */
    int is_left = (fds[4].revents & (POLLHUP | POLLERR)) && !(fds[4].revents & POLLOUT);
    if (is_left) input_drop(&holder->input);
    if (is_left || program->in < 0 || fds[4].revents & POLLOUT) {
        attachment_write_input(holder);
        attachment_obey(holder);
    }
    if (fds[5].revents) attachment_receive(holder);
    if (fds[2].revents) read_output(holder, STREAM_OUT);
    if (fds[3].revents) read_output(holder, STREAM_ERROR);
    if (connection_is_open(connection) && connection_send(connection, holder->outputs) == RECEIVED_END)
        attachment_end(holder, ENDED_LEFT);
    if (fds[1].revents) attachment_answer_door(holder);
    pass_time(holder);
}

static void show_notice(struct log *log) {
    const char *notice = getenv(NOTICE);
    if (!notice) return;
    size_t length = strnlen(notice, NOTICE_SHOWN_BYTES);
    memcpy(log_room(log, length).iov_base, notice, length);
    log_add(log, length);
    unsetenv(NOTICE);
}

int holder_run(const struct holder_options *options) {
    struct holder *holder = &held;
    sigset_t children, blocked;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    /* Blocked, not ignored: a process that ignores the hang-up would be spared at the end, with all its descendants. */
    blocked = children;
    sigaddset(&blocked, SIGHUP);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    *holder = (struct holder){.options = options,
                              .wait_seconds = options->wait_seconds,
                              .program = {.io = options->io, .cols = options->cols, .rows = options->rows},
                              .detached_at = -1,
                              .told_at = -1,
                              .look_at = -1,
                              .continue_within = -1};
    connection_clear(&holder->connection);
    if (signals < 0) return 1;
    for (int i = 0; i < STREAMS; i++)
        if (output_open(&holder->outputs[i], options->log_bytes) != 0) return 1;
    show_notice(&holder->outputs[STREAM_OUT].log);
    if (program_start(&holder->program, options->id, options->argv) != 0) return 1;
    attachment_begin(holder, &(struct knock){.in = options->in, .out = options->out, .done = options->done});
    if (chdir("/") != 0) return 1;
    while (!holder->is_over) turn(holder, signals);
    return 0;
}
