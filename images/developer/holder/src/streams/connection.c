#include "streams/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void connection_clear(struct connection *connection) {
    connection->in = connection->out = connection->done = -1;
    connection->received_bytes = connection->notices_bytes = 0;
    connection->head_left = connection->body_left = 0;
}

void connection_open(struct connection *connection, int in, int out, int done, const uint64_t from[STREAMS]) {
    connection_clear(connection);
    fcntl(in, F_SETFL, O_NONBLOCK);
    fcntl(out, F_SETFL, O_NONBLOCK);
    connection->in = in;
    connection->out = out;
    connection->done = done;
    memcpy(connection->sent, from, sizeof connection->sent);
}

void connection_close(struct connection *connection, char reason) {
    if (!connection_is_open(connection)) return;
    /* Best effort. Without it, the attached process only sees that the attachment is over. */
    ssize_t ignored = write(connection->done, &reason, 1);
    (void)ignored;
    close(connection->in);
    close(connection->out);
    close(connection->done);
    connection_clear(connection);
}

int connection_is_open(const struct connection *connection) { return connection->in >= 0; }

static int is_for_now(int failure) { return failure == EAGAIN || failure == EINTR; }

enum received connection_read(struct connection *connection) {
    size_t room = sizeof connection->received - connection->received_bytes;
    if (room == 0) return RECEIVED_NOTHING;
    ssize_t length = read(connection->in, connection->received + connection->received_bytes, room);
    if (length < 0) return is_for_now(errno) ? RECEIVED_NOTHING : RECEIVED_END;
    if (length == 0) return RECEIVED_END;
    connection->received_bytes += (size_t)length;
    return RECEIVED_FRAME;
}

enum received connection_next(const struct connection *connection, struct frame *frame) {
    if (connection->received_bytes < HEADER_BYTES) return RECEIVED_NOTHING;
    size_t length = (size_t)get_number(connection->received + 1, 3);
    if (length > MAX_PAYLOAD_BYTES) return RECEIVED_END;
    if (connection->received_bytes < HEADER_BYTES + length) return RECEIVED_NOTHING;
    *frame = (struct frame){
        .type = (char)connection->received[0], .payload = connection->received + HEADER_BYTES, .length = length};
    return RECEIVED_FRAME;
}

void connection_drop(struct connection *connection, const struct frame *frame) {
    size_t length = HEADER_BYTES + frame->length;
    connection->received_bytes -= length;
    memmove(connection->received, connection->received + length, connection->received_bytes);
}

void connection_say(struct connection *connection, char type, const void *payload, size_t length) {
    if (connection->notices_bytes + HEADER_BYTES + length > NOTICES_BYTES) return;
    unsigned char *to = connection->notices + connection->notices_bytes;
    put_header(to, type, length);
    if (length > 0) memcpy(to + HEADER_BYTES, payload, length);
    connection->notices_bytes += HEADER_BYTES + length;
}

static int has_output(const struct connection *connection, const struct output outputs[STREAMS], enum stream stream) {
    return connection->sent[stream] < outputs[stream].log.end;
}

int connection_has_more(const struct connection *connection, const struct output outputs[STREAMS]) {
    return connection->head_left + connection->body_left + connection->notices_bytes > 0 ||
           has_output(connection, outputs, STREAM_OUT) || has_output(connection, outputs, STREAM_ERROR);
}

static enum received send_notices(struct connection *connection) {
    ssize_t length = write(connection->out, connection->notices, connection->notices_bytes);
    if (length < 0) return is_for_now(errno) ? RECEIVED_NOTHING : RECEIVED_END;
    connection->notices_bytes -= (size_t)length;
    memmove(connection->notices, connection->notices + length, connection->notices_bytes);
    return RECEIVED_FRAME;
}

/* The outputs alternate, so that neither waits for the end of the other. */
static void begin_output(struct connection *connection, const struct output outputs[STREAMS]) {
    enum stream other = connection->under_way == STREAM_OUT ? STREAM_ERROR : STREAM_OUT;
    if (has_output(connection, outputs, other)) connection->under_way = other;
    enum stream stream = connection->under_way;
    size_t length = (size_t)(outputs[stream].log.end - connection->sent[stream]);
    if (length > OUTPUT_FRAME_BYTES) length = OUTPUT_FRAME_BYTES;
    put_header(connection->head, stream == STREAM_OUT ? FRAME_OUTPUT : FRAME_ERROR_OUTPUT, OFFSET_BYTES + length);
    put_number(connection->head + HEADER_BYTES, connection->sent[stream], OFFSET_BYTES);
    connection->head_left = sizeof connection->head;
    connection->body_left = length;
}

static enum received send_output(struct connection *connection, const struct output outputs[STREAMS]) {
    uint64_t *sent = &connection->sent[connection->under_way];
    struct iovec pieces[3];
    pieces[0] = (struct iovec){.iov_base = connection->head + sizeof connection->head - connection->head_left,
                               .iov_len = connection->head_left};
    int count = log_from(&outputs[connection->under_way].log, *sent, connection->body_left, pieces + 1);
    ssize_t length = writev(connection->out, pieces, count + 1);
    if (length < 0) return is_for_now(errno) ? RECEIVED_NOTHING : RECEIVED_END;
    size_t head = (size_t)length < connection->head_left ? (size_t)length : connection->head_left;
    connection->head_left -= head;
    connection->body_left -= (size_t)length - head;
    *sent += (size_t)length - head;
    return RECEIVED_FRAME;
}

enum received connection_send(struct connection *connection, const struct output outputs[STREAMS]) {
    while (connection_has_more(connection, outputs)) {
        int is_within_frame = connection->head_left + connection->body_left > 0;
        enum received sent;
        if (!is_within_frame && connection->notices_bytes > 0) {
            sent = send_notices(connection);
        } else {
            if (!is_within_frame) begin_output(connection, outputs);
            sent = send_output(connection, outputs);
        }
        if (sent != RECEIVED_FRAME) return sent;
    }
    return RECEIVED_FRAME;
}
