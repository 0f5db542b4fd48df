/* The connection to the attached server: two pipes of an exec, with frames in both directions. Never blocks. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <stddef.h>
#include <stdint.h>

#include "frames.h"
#include "streams/output.h"

/* Small frames that wait for room in the pipe. This is more than one attachment ever gets. */
#define NOTICES_BYTES 1024
/* Size of a frame of output: large enough to be cheap, and small enough not to delay a notice. */
#define OUTPUT_FRAME_BYTES ((size_t)60 * 1024)

struct connection {
    int in, out, done; /* -1: none is attached. Closing `done` tells the attached process that this is over. */
    uint64_t sent[STREAMS]; /* offset of the output that is sent next */
    enum stream under_way;  /* the output of the last frame */
    unsigned char received[HEADER_BYTES + MAX_PAYLOAD_BYTES];
    size_t received_bytes;
    unsigned char notices[NOTICES_BYTES];
    size_t notices_bytes;
    unsigned char head[HEADER_BYTES + OFFSET_BYTES]; /* of the current output frame */
    size_t head_left, body_left;
};

struct frame {
    char type;
    const unsigned char *payload;
    size_t length;
};

enum received { RECEIVED_FRAME, RECEIVED_NOTHING, RECEIVED_END };

void connection_clear(struct connection *connection);
/* Takes over three descriptors. */
void connection_open(struct connection *connection, int in, int out, int done, const uint64_t from[STREAMS]);
/* Tells the attached process how the attachment ended, and closes it. */
void connection_close(struct connection *connection, char reason);
int connection_is_open(const struct connection *connection);
/* Reads what has come. RECEIVED_END: the client is gone, or its data is not a frame. */
enum received connection_read(struct connection *connection);
/* The next whole frame, valid until `connection_drop`; RECEIVED_NOTHING: there is none yet. */
enum received connection_next(const struct connection *connection, struct frame *frame);
void connection_drop(struct connection *connection, const struct frame *frame);
/* Queues a small frame. It overtakes output whose frame has not begun. */
void connection_say(struct connection *connection, char type, const void *payload, size_t length);
/* Sends until the pipe is full. RECEIVED_END: the client is gone. */
enum received connection_send(struct connection *connection, const struct output outputs[STREAMS]);
/* Whether anything waits for room in the pipe. */
int connection_has_more(const struct connection *connection, const struct output outputs[STREAMS]);

#endif
