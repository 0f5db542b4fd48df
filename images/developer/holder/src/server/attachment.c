#include "server/attachment.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "program/processes.h"

/*
 * Time after input until the check whether a process of the program's own group has stopped. A stop is mostly caused by
 * a key. To check all processes for each key would cost too much.
 */
#define LOOK_AFTER_TYPING_MS 500

void attachment_end_session(struct holder *holder) {
    ending_begin(&holder->ending, holder->program.leader, holder->program.ticks);
}

void attachment_end(struct holder *holder, char reason) {
    if (!connection_is_open(&holder->connection)) return;
    connection_close(&holder->connection, reason);
    holder->detached_at = clock_ms();
}

static void say_hello(struct holder *holder) {
    char text[512];
    const struct program *program = &holder->program;
    const uint64_t *sent = holder->connection.sent;
    const struct output *out = &holder->outputs[STREAM_OUT], *error = &holder->outputs[STREAM_ERROR];
    int length = snprintf(text, sizeof text,
                          "version=%d\npid=%d\nticks=%llu\nkills=%lu\nholder=%d\ncols=%u\nrows=%u\nfrom=%llu\nto=%llu\n"
                          "window=%zu\ntyping=%zu\nio=%s\nlog=%zu\nerror_from=%llu\nerror_to=%llu\ninput=%s\n"
                          "state=%s\n",
                          PROTOCOL_VERSION, (int)program->leader, (unsigned long long)program->ticks, program->kills,
                          (int)getpid(), program->cols, program->rows, (unsigned long long)sent[STREAM_OUT],
                          (unsigned long long)out->log.end, TYPING_BYTES, input_waiting(&holder->input),
                          program->io == IO_TERMINAL ? "terminal" : "pipes", out->log.bytes,
                          (unsigned long long)sent[STREAM_ERROR], (unsigned long long)error->log.end,
                          program->in < 0 || holder->input.is_ended ? "ended" : "open",
                          program->exited ? "ended" : "running");
    connection_say(&holder->connection, FRAME_HELLO, text, (size_t)length);
}

/* Output continues at the offsets that the server has. If some of it is gone, the server is told. */
void attachment_begin(struct holder *holder, const struct knock *knock) {
    static const char lost[STREAMS] = {FRAME_LOST, FRAME_ERROR_LOST};
    attachment_end(holder, ENDED_TAKEN);
    uint64_t from[STREAMS];
    for (int i = 0; i < STREAMS; i++) from[i] = output_resume(&holder->outputs[i], knock->offsets[i]);
    connection_open(&holder->connection, knock->in, knock->out, knock->done, from);
    say_hello(holder);
    for (int i = 0; i < STREAMS; i++) {
        if (from[i] <= knock->offsets[i]) continue;
        unsigned char at[OFFSET_BYTES];
        put_number(at, from[i], OFFSET_BYTES);
        connection_say(&holder->connection, lost[i], at, sizeof at);
    }
    holder->detached_at = holder->told_at = -1;
    holder->is_collected = holder->is_blocked = 0;
    input_resume(&holder->input);
}

void attachment_answer_door(struct holder *holder) {
    struct knock knock;
    if (door_answer(holder->options->door, &knock) == 0) attachment_begin(holder, &knock);
}

void attachment_write_input(struct holder *holder) {
    if (input_write(&holder->input, holder->program.in) != 0) program_close_input(&holder->program);
    if (holder->input.is_ended && input_waiting(&holder->input) == 0) program_close_input(&holder->program);
    input_tell(&holder->input, &holder->connection);
}

static int is_for_programs(unsigned char number) { return number == SIGINT || number == SIGTERM || number == SIGKILL; }

static void obey(struct holder *holder, const struct frame *frame) {
    const unsigned char *payload = frame->payload;
    struct program *program = &holder->program;
    const uint64_t *sent = holder->connection.sent;
    if (frame->type == FRAME_INPUT) {
        input_add(&holder->input, frame);
        if (holder->look_at < 0) holder->look_at = clock_ms() + LOOK_AFTER_TYPING_MS;
        attachment_write_input(holder);
    } else if (frame->type == FRAME_INPUT_END && program->io != IO_TERMINAL) {
        holder->input.is_ended = 1;
        attachment_write_input(holder);
    } else if (frame->type == FRAME_SIZE && frame->length == 4) {
        program_resize(program, (uint16_t)get_number(payload, 2), (uint16_t)get_number(payload + 2, 2));
    } else if (frame->type == FRAME_ACK && frame->length == OFFSET_BYTES) {
        output_acknowledge(&holder->outputs[STREAM_OUT], get_number(payload, OFFSET_BYTES), sent[STREAM_OUT]);
    } else if (frame->type == FRAME_ERROR_ACK && frame->length == OFFSET_BYTES) {
        output_acknowledge(&holder->outputs[STREAM_ERROR], get_number(payload, OFFSET_BYTES), sent[STREAM_ERROR]);
    } else if (frame->type == FRAME_WAIT && frame->length == 4) {
        holder->wait_seconds = (uint32_t)get_number(payload, 4);
    } else if (frame->type == FRAME_SIGNAL && frame->length == 1 && is_for_programs(*payload)) {
        processes_signal(program->leader, program->ticks, *payload);
    } else if (frame->type == FRAME_END) {
        holder->is_collected = 1;
        attachment_end_session(holder);
    }
}

/*
 * Stops at input for which there is no room. Only a client that ignores the window sends it. Everything after it waits
 * in the pipe.
 */
void attachment_obey(struct holder *holder) {
    struct frame frame;
    for (;;) {
        enum received next = connection_next(&holder->connection, &frame);
        int is_input = next == RECEIVED_FRAME && frame.type == FRAME_INPUT;
        holder->is_blocked = is_input && frame.length > input_room(&holder->input);
        if (next == RECEIVED_END) attachment_end(holder, ENDED_LEFT);
        if (next != RECEIVED_FRAME || holder->is_blocked) return;
        obey(holder, &frame);
        connection_drop(&holder->connection, &frame);
    }
}

void attachment_receive(struct holder *holder) {
    if (connection_read(&holder->connection) == RECEIVED_END) attachment_end(holder, ENDED_LEFT);
    else attachment_obey(holder);
}

