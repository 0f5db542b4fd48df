#include "holder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "door.h"
#include "processes.h"
#include "terminal.h"

#define PROTOCOL_VERSION 1
/* For how long a full log blocks the program while nobody is attached; then the oldest output is dropped. */
#define BLOCK_DETACHED_MS 60000
/*
 * After the program's end: for how long, and how much, is still read where jobs hold the terminal open and print on. What it
 * printed itself is in the kernel's buffer by then, which is a fraction of that.
 */
#define DRAIN_MS 500
#define DRAIN_BYTES LOG_BYTES
#define ENDER_DONE ((pid_t)-1)
/* Most that is read before it is sent on: gathers small reads into large writes, and keeps nobody waiting. */
#define GATHER_BYTES ((size_t)128 * 1024)
/*
 * Input that may wait for a program that does not read it. Who attaches keeps no more on its way: everything else that it
 * says is then heard, above all what it acknowledges.
 */
#define TYPING_BYTES ((size_t)256 * 1024)
/* How often it is told what was taken: seldom enough that a key wakes nobody for it. */
#define TELL_TAKEN_BYTES ((size_t)32 * 1024)
/*
 * After something was typed: when it is looked whether a process of the program's own group has stopped. That is most
 * often what a key does, and looking at all processes for each key would cost too much.
 */
#define LOOK_AFTER_TYPING_MS 500
/* What is shown before the program's output. It comes in the environment, which the program does not inherit then. */
#define NOTICE "SLIPWAY_NOTICE"
#define NOTICE_SHOWN_BYTES ((size_t)4096)

struct holder {
    const struct holder_options *options;
    struct terminal terminal;
    struct log log;
    struct connection connection;
    uint64_t acknowledged;   /* output before this needs to be kept no longer */
    unsigned char typing[TYPING_BYTES]; /* input that the program has not taken yet: from `typing_at` to `typing_end` */
    size_t typing_at, typing_end;
    uint64_t taken, taken_before, taken_told; /* of all input; when somebody attached; as they know */
    int is_blocked;          /* the next frame is input for which there is no room */
    uint32_t wait_seconds;
    int64_t detached_at, full_at; /* ms; -1: not so */
    int continue_within;     /* ms; -1: nothing is to be continued or looked for */
    int64_t look_at;         /* ms, when it is looked for stopped processes; -1: nothing was typed since */
    int64_t draining_since;  /* ms; while the log is full time stands still */
    uint64_t exited_end;     /* where output was when the program ended */
    pid_t ender;             /* the process that ends the session's; 0: not begun, ENDER_DONE */
    int is_empty;            /* whether nothing was left to be read when it was looked last */
    int is_left_over;        /* whether some of the session's processes could not be ended */
    int is_dropping, is_drained, is_exit_told, is_over;
};

static struct holder held;

static int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Ending takes seconds, and output goes on meanwhile: a process of its own does it. */
static void end_session(struct holder *holder) {
    if (holder->ender) return;
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        /* The attachment must not stay open for the seconds that this takes. */
        close_range(3, ~0u, 0);
        _exit(processes_end(holder->terminal.leader, holder->terminal.ticks) == 0 ? 0 : 1);
    }
    holder->ender = pid;
    if (pid > 0) return;
    /* No room for another process, as under a fork bomb. Nothing is read meanwhile, which nobody will miss. */
    holder->is_left_over = processes_end(holder->terminal.leader, holder->terminal.ticks) != 0;
    holder->ender = ENDER_DONE;
}

static void detach(struct holder *holder, char reason) {
    if (!connection_is_open(&holder->connection)) return;
    connection_close(&holder->connection, reason);
    holder->detached_at = clock_ms();
}

static void say_hello(struct holder *holder) {
    char text[256];
    const struct terminal *terminal = &holder->terminal;
    int length = snprintf(text, sizeof text,
                          "version=%d\npid=%d\nticks=%llu\nkills=%lu\nholder=%d\ncols=%u\nrows=%u\nfrom=%llu\nto=%llu\n"
                          "window=%zu\ntyping=%zu\n",
                          PROTOCOL_VERSION, (int)terminal->leader, (unsigned long long)terminal->ticks, terminal->kills,
                          (int)getpid(), terminal->cols, terminal->rows, (unsigned long long)holder->connection.sent,
                          (unsigned long long)holder->log.end, TYPING_BYTES, holder->typing_end - holder->typing_at);
    connection_say(&holder->connection, FRAME_HELLO, text, (size_t)length);
}

/* The offset that somebody has is where output goes on; what is gone by then is said. */
static void attach(struct holder *holder, int in, int out, int done, uint64_t offset) {
    detach(holder, ENDED_TAKEN);
    struct log *log = &holder->log;
    uint64_t from = offset > log->end ? log->end : offset < log->start ? log->start : offset;
    connection_open(&holder->connection, in, out, done, from);
    say_hello(holder);
    if (from > offset) {
        unsigned char at[OFFSET_BYTES];
        put_number(at, from, OFFSET_BYTES);
        connection_say(&holder->connection, FRAME_LOST, at, sizeof at);
    }
    holder->acknowledged = from;
    holder->detached_at = holder->full_at = -1;
    holder->is_dropping = holder->is_exit_told = holder->is_blocked = 0;
    holder->taken_before = holder->taken_told = holder->taken;
}

static void answer_door(struct holder *holder) {
    struct knock knock;
    if (door_answer(holder->options->door, &knock) != 0) return;
    attach(holder, knock.in, knock.out, knock.done, knock.offset);
}

static int log_is_full(const struct holder *holder) {
    return !holder->is_dropping && holder->log.end - holder->acknowledged >= LOG_BYTES;
}

static void read_terminal(struct holder *holder) {
    struct terminal *terminal = &holder->terminal;
    size_t gathered = 0;
    while (terminal->fd >= 0 && gathered < GATHER_BYTES && !log_is_full(holder) && !holder->is_drained) {
        size_t limit = holder->is_dropping ? LOG_BYTES : LOG_BYTES - (size_t)(holder->log.end - holder->acknowledged);
        struct iovec room = log_room(&holder->log, limit);
        ssize_t length = read(terminal->fd, room.iov_base, room.iov_len);
        holder->is_empty = length < 0 && errno == EAGAIN;
        if (length > 0) {
            log_add(&holder->log, (size_t)length);
            gathered += (size_t)length;
            continue;
        }
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) break;
        /* EIO: nobody holds the other side any more. */
        close(terminal->fd);
        terminal->fd = -1;
    }
    if (log_is_full(holder) && holder->full_at < 0) holder->full_at = clock_ms();
    if (!log_is_full(holder)) holder->full_at = -1;
}

static void tell_taken(struct holder *holder) {
    /* Half of the room is left for what is said once. */
    int has_room = holder->connection.notices_bytes < NOTICES_BYTES / 2;
    if (holder->taken - holder->taken_told < TELL_TAKEN_BYTES || !has_room) return;
    unsigned char count[OFFSET_BYTES];
    put_number(count, holder->taken - holder->taken_before, sizeof count);
    connection_say(&holder->connection, FRAME_TAKEN, count, sizeof count);
    holder->taken_told = holder->taken;
}

/* Nobody has the terminal open, and nobody may ever again: what waits is not kept for them. */
static void drop_typing(struct holder *holder) {
    holder->taken += holder->typing_end - holder->typing_at;
    holder->typing_at = holder->typing_end = 0;
    tell_taken(holder);
}

static void type(struct holder *holder) {
    while (holder->typing_at < holder->typing_end) {
        if (holder->terminal.fd < 0) return drop_typing(holder);
        ssize_t length = write(holder->terminal.fd, holder->typing + holder->typing_at,
                               holder->typing_end - holder->typing_at);
        if (length < 0 && errno == EAGAIN) break;
        if (length < 0 && errno == EINTR) continue;
        if (length < 0) return drop_typing(holder);
        holder->typing_at += (size_t)length;
        holder->taken += (uint64_t)length;
    }
    if (holder->typing_at == holder->typing_end) holder->typing_at = holder->typing_end = 0;
    tell_taken(holder);
}

static size_t typing_room(const struct holder *holder) {
    return TYPING_BYTES - (holder->typing_end - holder->typing_at);
}

static void add_typing(struct holder *holder, const struct frame *frame) {
    if (holder->typing_end + frame->length > TYPING_BYTES) {
        holder->typing_end -= holder->typing_at;
        memmove(holder->typing, holder->typing + holder->typing_at, holder->typing_end);
        holder->typing_at = 0;
    }
    memcpy(holder->typing + holder->typing_end, frame->payload, frame->length);
    holder->typing_end += frame->length;
    if (holder->look_at < 0) holder->look_at = clock_ms() + LOOK_AFTER_TYPING_MS;
    type(holder);
}

static void obey(struct holder *holder, const struct frame *frame) {
    const unsigned char *payload = frame->payload;
    if (frame->type == FRAME_INPUT) {
        add_typing(holder, frame);
    } else if (frame->type == FRAME_SIZE && frame->length == 4) {
        terminal_resize(&holder->terminal, (uint16_t)get_number(payload, 2), (uint16_t)get_number(payload + 2, 2));
    } else if (frame->type == FRAME_ACK && frame->length == OFFSET_BYTES) {
        uint64_t offset = get_number(payload, OFFSET_BYTES);
        if (offset > holder->acknowledged && offset <= holder->connection.sent) holder->acknowledged = offset;
    } else if (frame->type == FRAME_WAIT && frame->length == 4) {
        holder->wait_seconds = (uint32_t)get_number(payload, 4);
    } else if (frame->type == FRAME_END) {
        end_session(holder);
    }
}

/* Stops at input for which there is no room, which only one sends who does not count: what comes after it waits in the pipe. */
static void obey_all(struct holder *holder) {
    struct frame frame;
    for (;;) {
        enum received next = connection_next(&holder->connection, &frame);
        holder->is_blocked = next == RECEIVED_FRAME && frame.type == FRAME_INPUT && frame.length > typing_room(holder);
        if (next == RECEIVED_END) detach(holder, ENDED_LEFT);
        if (next != RECEIVED_FRAME || holder->is_blocked) return;
        obey(holder, &frame);
        connection_drop(&holder->connection, &frame);
    }
}

static void receive(struct holder *holder) {
    if (connection_read(&holder->connection) == RECEIVED_END) detach(holder, ENDED_LEFT);
    else obey_all(holder);
}

/* From then on nothing is read any more, so that what is to be told after the last output can be told. */
static int output_is_over(struct holder *holder) {
    if (!holder->terminal.exited) return 0;
    if (log_is_full(holder)) holder->draining_since = clock_ms();
    int is_time_over = holder->is_empty && clock_ms() - holder->draining_since >= DRAIN_MS;
    int is_much_read = holder->log.end - holder->exited_end >= DRAIN_BYTES;
    holder->is_drained |= holder->terminal.fd < 0 || is_time_over || is_much_read;
    return holder->is_drained;
}

static void tell_exit(struct holder *holder) {
    if (holder->is_exit_told || !connection_is_open(&holder->connection)) return;
    if (connection_has_more(&holder->connection, &holder->log)) return;
    unsigned char status[4];
    put_number(status, (uint32_t)holder->terminal.status, sizeof status);
    connection_say(&holder->connection, FRAME_EXIT, status, sizeof status);
    holder->is_exit_told = 1;
    /* As when a terminal is closed: what the program left on it ends too. */
    end_session(holder);
}

static void reap(struct holder *holder, int signals) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == sizeof info) continue;
    int was_running = !holder->terminal.exited;
    terminal_reap(&holder->terminal);
    if (was_running && holder->terminal.exited) {
        holder->draining_since = clock_ms();
        holder->exited_end = holder->log.end;
    }
    int status;
    if (holder->ender <= 0 || waitpid(holder->ender, &status, WNOHANG) != holder->ender) return;
    holder->is_left_over = status != 0;
    holder->ender = ENDER_DONE;
}

/* Answers in how many ms it wants to be called again; -1: there is no need. */
static int continue_stopped(struct holder *holder, int64_t now) {
    struct terminal *terminal = &holder->terminal;
    /* What is being ended is stopped so that it forks no more. */
    if (holder->ender) return -1;
    if (holder->look_at >= 0 && now >= holder->look_at) {
        holder->look_at = -1;
        if (!terminal->stopped && terminal_has_stopped_member(terminal)) terminal->stopped = SIGSTOP;
    }
    int due = terminal_continue(terminal, now);
    return due >= 0 || holder->look_at < 0 ? due : (int)(holder->look_at - now);
}

/* What time alone brings. */
static void pass_time(struct holder *holder) {
    int64_t now = clock_ms();
    holder->continue_within = continue_stopped(holder, now);
    int is_attached = connection_is_open(&holder->connection);
    if (!is_attached && holder->full_at >= 0 && now - holder->full_at >= BLOCK_DETACHED_MS) holder->is_dropping = 1;
    int is_waited = !is_attached && now - holder->detached_at >= (int64_t)holder->wait_seconds * 1000;
    if (is_waited) end_session(holder);
    if (output_is_over(holder)) tell_exit(holder);
    int is_told = is_attached && holder->is_exit_told && !connection_has_more(&holder->connection, &holder->log);
    /* The ender is done, the exit was told, or nobody came to hear it. */
    if (holder->ender == ENDER_DONE && holder->terminal.exited && (is_told || is_waited)) {
        if (is_told && !holder->is_left_over) connection_say(&holder->connection, FRAME_GONE, NULL, 0);
        if (is_told) connection_send(&holder->connection, &holder->log);
        detach(holder, holder->is_left_over ? ENDED_LEFT : ENDED_GONE);
        holder->is_over = 1;
    }
}

/* How long nothing needs to be looked at, in ms; -1: until something happens. */
static int patience(const struct holder *holder) {
    if (holder->terminal.fd < 0 && holder->typing_end > 0) return 0;
    int is_attached = connection_is_open(&holder->connection);
    if (holder->terminal.exited && (is_attached || !holder->is_drained)) return DRAIN_MS / 10;
    int within = is_attached ? -1 : 1000;
    int continues = holder->continue_within;
    return continues >= 0 && (within < 0 || continues < within) ? continues : within;
}

static void turn(struct holder *holder, int signals) {
    struct connection *connection = &holder->connection;
    struct terminal *terminal = &holder->terminal;
    int is_attached = connection_is_open(connection);
    int may_read = !log_is_full(holder) && !holder->is_drained;
    short terminal_events = (short)((may_read ? POLLIN : 0) | (holder->typing_end > 0 ? POLLOUT : 0));
    int has_more = is_attached && connection_has_more(connection, &holder->log);
    struct pollfd fds[] = {
        {.fd = signals, .events = POLLIN},
        {.fd = holder->options->door, .events = POLLIN},
        {.fd = terminal_events ? terminal->fd : -1, .events = terminal_events},
        {.fd = is_attached && !holder->is_blocked ? connection->in : -1, .events = POLLIN},
        {.fd = has_more ? connection->out : -1, .events = POLLOUT},
    };
    if (poll(fds, sizeof fds / sizeof *fds, patience(holder)) < 0) return;
    if (fds[0].revents) reap(holder, signals);
    /* Closed by all while it is full, it takes nothing and says so all the time. */
    int is_left = (fds[2].revents & POLLHUP) && !(fds[2].revents & POLLOUT);
    if (is_left && holder->typing_end > 0) drop_typing(holder);
    if (is_left || terminal->fd < 0 || fds[2].revents & POLLOUT) {
        type(holder);
        obey_all(holder);
    }
    if (fds[3].revents) receive(holder);
    if (fds[2].revents & ~POLLOUT) read_terminal(holder);
    if (connection_is_open(connection) && connection_send(connection, &holder->log) == RECEIVED_END)
        detach(holder, ENDED_LEFT);
    if (fds[1].revents) answer_door(holder);
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
    /* Blocked and not ignored: what ignores the hang-up is spared when a session ends, with all that descends from it. */
    blocked = children;
    sigaddset(&blocked, SIGHUP);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    *holder = (struct holder){.options = options,
                              .wait_seconds = options->wait_seconds,
                              .terminal = {.cols = options->cols, .rows = options->rows},
                              .detached_at = -1,
                              .full_at = -1,
                              .look_at = -1,
                              .continue_within = -1,
                              .is_empty = 1};
    connection_clear(&holder->connection);
    if (signals < 0 || log_open(&holder->log) != 0) return 1;
    show_notice(&holder->log);
    if (terminal_open(&holder->terminal, options->id, options->argv) != 0) return 1;
    attach(holder, options->in, options->out, options->done, 0);
    if (chdir("/") != 0) return 1;
    while (!holder->is_over) turn(holder, signals);
    return 0;
}
