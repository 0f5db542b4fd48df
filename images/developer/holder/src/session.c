#include "session.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "processes.h"
#include "terminal.h"

/* How often the backend is told how much input was taken: seldom enough that a key wakes nothing for it. */
#define TELL_TAKEN_BYTES ((size_t)32 * 1024)
/*
 * After input for a terminal: when to look whether a process of the program's own group has stopped. That is most often what
 * a key does, and looking at all processes for each key would cost too much.
 */
#define LOOK_AFTER_INPUT_MS 500

int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int session_is_full(const struct session *session) {
    if (session->is_dropping) return 0;
    return output_is_full(&session->outputs[OUT]) ||
           (!session->program.is_terminal && output_is_full(&session->outputs[ERR]));
}

/* Ending takes seconds, and output goes on meanwhile: so another process does it. */
void session_end(struct session *session) {
    if (session->ender) return;
    const struct program *program = &session->program;
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        /* The attachment must not stay open for the seconds that this takes. */
        close_range(3, ~0u, 0);
        _exit(processes_end(program->leader, program->ticks) == 0 ? 0 : 1);
    }
    session->ender = pid;
    if (pid > 0) return;
    /* There is no room for another process, as under a fork bomb. Nothing is read meanwhile, which nobody will miss. */
    session->is_left_over = processes_end(program->leader, program->ticks) != 0;
    session->ender = ENDER_DONE;
}

void session_detach(struct session *session, char reason) {
    if (!connection_is_open(&session->connection)) return;
    connection_close(&session->connection, reason);
    session->detached_at = clock_ms();
}

static void say_number(struct session *session, char type, uint64_t number) {
    unsigned char bytes[OFFSET_BYTES];
    put_number(bytes, number, sizeof bytes);
    connection_say(&session->connection, type, bytes, sizeof bytes);
}

static void say_hello(struct session *session) {
    char text[512];
    const struct program *program = &session->program;
    const struct connection *connection = &session->connection;
    int length = snprintf(
        text, sizeof text,
        "version=%d\npid=%d\nticks=%llu\nkills=%lu\nholder=%d\ncols=%u\nrows=%u\nfrom=%llu\nto=%llu\nwindow=%zu\n"
        "typing=%zu\nkind=%s\nended=%d\nerror_from=%llu\nerror_to=%llu\n",
        PROTOCOL_VERSION, (int)program->leader, (unsigned long long)program->ticks, program->kills, (int)getpid(),
        program->cols, program->rows, (unsigned long long)connection->sent[OUT],
        (unsigned long long)session->outputs[OUT].log.end, INPUT_BYTES, input_waiting(&session->input),
        program->is_terminal ? "terminal" : "pipes", program->exited, (unsigned long long)connection->sent[ERR],
        (unsigned long long)session->outputs[ERR].log.end);
    connection_say(&session->connection, FRAME_HELLO, text, (size_t)length);
}

void session_attach(struct session *session, int in, int out, int done, const uint64_t offsets[STREAMS]) {
    static const char lost[STREAMS] = {FRAME_LOST, FRAME_LOST_ERROR};
    session_detach(session, ENDED_TAKEN);
    uint64_t from[STREAMS];
    for (int stream = 0; stream < STREAMS; stream++) {
        const struct log *log = &session->outputs[stream].log;
        uint64_t offset = offsets[stream];
        from[stream] = offset > log->end ? log->end : offset < log->start ? log->start : offset;
        session->outputs[stream].acknowledged = from[stream];
    }
    connection_open(&session->connection, in, out, done, from);
    say_hello(session);
    for (int stream = 0; stream < STREAMS; stream++)
        if (from[stream] > offsets[stream]) say_number(session, lost[stream], from[stream]);
    session->detached_at = session->full_at = -1;
    session->is_dropping = session->is_exit_told = session->is_blocked = 0;
    session->taken_before = session->taken_told = session->input.taken;
}

static void tell_taken(struct session *session) {
    uint64_t taken = session->input.taken;
    /* Half of the room is left for what is said once. */
    int has_room = session->connection.notices_bytes < NOTICES_BYTES / 2;
    if (taken - session->taken_told < TELL_TAKEN_BYTES || !has_room) return;
    say_number(session, FRAME_TAKEN, taken - session->taken_before);
    session->taken_told = taken;
}

void session_write_input(struct session *session) {
    input_write(&session->input, &session->program);
    tell_taken(session);
}

void session_drop_input(struct session *session) {
    input_drop(&session->input);
    tell_taken(session);
}

/* Of an input that was ended nothing more is accepted. */
static void add_input(struct session *session, const struct frame *frame) {
    if (session->input.is_ended) return;
    input_add(&session->input, frame->payload, frame->length);
    if (session->program.is_terminal && session->look_at < 0) session->look_at = clock_ms() + LOOK_AFTER_INPUT_MS;
    session_write_input(session);
}

static void end_input(struct session *session) {
    if (session->program.is_terminal) return;
    session->input.is_ended = 1;
    session_write_input(session);
}

static void acknowledge(struct session *session, int stream, uint64_t offset) {
    struct output *output = &session->outputs[stream];
    if (offset > output->acknowledged && offset <= session->connection.sent[stream]) output->acknowledged = offset;
}

static void pass_signal(const struct session *session, int number) {
    int is_known = number == SIGINT || number == SIGTERM || number == SIGKILL;
    /* The number of a leader that was reaped may be another process's by now. */
    if (is_known && !session->program.exited) processes_signal(session->program.leader, number);
}

static void obey(struct session *session, const struct frame *frame) {
    const unsigned char *payload = frame->payload;
    if (frame->type == FRAME_INPUT) {
        add_input(session, frame);
    } else if (frame->type == FRAME_INPUT_END) {
        end_input(session);
    } else if (frame->type == FRAME_SIZE && frame->length == 4) {
        terminal_resize(&session->program, (uint16_t)get_number(payload, 2), (uint16_t)get_number(payload + 2, 2));
    } else if (frame->type == FRAME_ACK && frame->length == OFFSET_BYTES) {
        acknowledge(session, OUT, get_number(payload, OFFSET_BYTES));
    } else if (frame->type == FRAME_ACK_ERROR && frame->length == OFFSET_BYTES) {
        acknowledge(session, ERR, get_number(payload, OFFSET_BYTES));
    } else if (frame->type == FRAME_WAIT && frame->length == 4) {
        session->wait_seconds = (uint32_t)get_number(payload, 4);
    } else if (frame->type == FRAME_SIGNAL && frame->length == 1) {
        pass_signal(session, payload[0]);
    } else if (frame->type == FRAME_COLLECT) {
        session->is_collected |= session->is_exit_told;
    } else if (frame->type == FRAME_END) {
        session_end(session);
    }
}

/* Stops at input for which there is no room, which only a backend sends that does not count: what follows waits in the pipe. */
void session_obey(struct session *session) {
    struct frame frame;
    for (;;) {
        enum received next = connection_next(&session->connection, &frame);
        session->is_blocked =
            next == RECEIVED_FRAME && frame.type == FRAME_INPUT && frame.length > input_room(&session->input);
        if (next == RECEIVED_END) session_detach(session, ENDED_LEFT);
        if (next != RECEIVED_FRAME || session->is_blocked) return;
        obey(session, &frame);
        connection_drop(&session->connection, &frame);
    }
}

void session_receive(struct session *session) {
    if (connection_read(&session->connection) == RECEIVED_END) session_detach(session, ENDED_LEFT);
    else session_obey(session);
}
