#include "carry.h"

#include "frames.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The types of frames that every carrier takes. */
static const char COMMON_FRAMES[] = {FRAME_DATA, FRAME_END, FRAME_CLOSE, FRAME_ROOM};
/* A frame of the backend may have to be answered with one frame without data, of at most 11 bytes. */
#define ANSWER_BYTES (HEADER_BYTES + 4)
/* What waits for standard output. Data is read only while the rest of it is left for answers. */
#define OUTPUT_BYTES 524288
#define FOR_ANSWERS_BYTES 65536


static struct stream streams[STREAMS_MAX];
static struct queue output;

void fail(const char *what) {
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
    exit(1);
}

void refuse(const char *why) {
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, why);
    exit(2);
}

static void *allocated(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) fail("memory");
    return memory;
}

void send_frame(char type, uint32_t stream, const void *payload, size_t length) {
    unsigned char header[HEADER_BYTES] = {(unsigned char)type};
    put_number(header + 1, stream, 4);
    put_number(header + 5, (uint32_t)length, 2);
    queue_put(&output, header, sizeof header);
    queue_put(&output, payload, length);
}

static void forget(struct stream *stream) {
    close(stream->fd);
    free(stream->out.bytes);
    *stream = (struct stream){.fd = -1};
}

void close_stream(struct stream *stream) {
    send_frame(FRAME_CLOSE, stream->number, NULL, 0);
    forget(stream);
}

/* Both directions have ended. */
static void close_if_done(struct stream *stream) {
    if (stream->has_read_end && stream->has_been_sent_end && stream->out.length == 0) close_stream(stream);
}

struct stream *stream_of(uint32_t number) {
    for (size_t i = 0; i < STREAMS_MAX; i++)
        if (streams[i].fd >= 0 && streams[i].number == number) return &streams[i];
    return NULL;
}

struct stream *add_stream(uint32_t number, int fd, size_t most) {
    struct stream *free_one = NULL;
    size_t used = 0;
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        if (streams[i].fd >= 0)
            used++;
        else
            free_one = &streams[i];
    }
    if (used >= most || !free_one) return NULL;
    *free_one = (struct stream){.fd = fd,
                                .number = number,
                                .credit = SENT_WINDOW_BYTES,
                                .out = {.bytes = allocated(WINDOW_BYTES), .capacity = WINDOW_BYTES}};
    return free_one;
}

static size_t readable(const struct stream *stream) {
    size_t room = queue_room(&output);
    if (stream->is_connecting || stream->has_read_end || room < FOR_ANSWERS_BYTES + HEADER_BYTES) return 0;
    room -= FOR_ANSWERS_BYTES + HEADER_BYTES;
    if (room > stream->credit) room = stream->credit;
    return room > MAX_PAYLOAD_BYTES ? MAX_PAYLOAD_BYTES : room;
}

static void read_connection(struct stream *stream) {
    unsigned char bytes[MAX_PAYLOAD_BYTES];
    size_t most = readable(stream);
    if (most == 0) return;
    ssize_t length = read(stream->fd, bytes, most);
    if (length > 0) {
        stream->credit -= (size_t)length;
        send_frame(FRAME_DATA, stream->number, bytes, (size_t)length);
    } else if (length == 0) {
        stream->has_read_end = true;
        send_frame(FRAME_END, stream->number, NULL, 0);
        close_if_done(stream);
    } else if (errno != EAGAIN && errno != EINTR)
        close_stream(stream);
}

static void write_connection(struct stream *stream) {
    long written = queue_write(&stream->out, stream->fd);
    if (written < 0) return close_stream(stream);
    stream->consumed += (size_t)written;
    if (stream->consumed >= WINDOW_BYTES / 2 || (stream->consumed > 0 && stream->out.length == 0)) {
        unsigned char count[4];
        put_number(count, (uint32_t)stream->consumed, sizeof count);
        send_frame(FRAME_ROOM, stream->number, count, sizeof count);
        stream->consumed = 0;
    }
    if (stream->out.length > 0 || !stream->has_been_sent_end) return;
    shutdown(stream->fd, SHUT_WR);
    close_if_done(stream);
}

static void take_frame(const struct carrier *carrier, char type, uint32_t number, const unsigned char *payload, size_t length) {
    struct stream *stream = stream_of(number);
    if (!memchr(COMMON_FRAMES, type, sizeof COMMON_FRAMES)) {
        if (!carrier->take || !carrier->take(type, number, payload, length)) refuse("a frame of an unknown type");
        return;
    }
    /* It was closed here, and the backend does not know yet. */
    if (!stream) return;
    switch (type) {
    case FRAME_DATA:
        if (stream->has_been_sent_end || queue_room(&stream->out) < length) refuse("more data than there is room for");
        queue_put(&stream->out, payload, length);
        break;
    case FRAME_END:
        stream->has_been_sent_end = true;
        if (stream->out.length > 0 || stream->is_connecting) break;
        shutdown(stream->fd, SHUT_WR);
        close_if_done(stream);
        break;
    case FRAME_CLOSE:
        forget(stream);
        break;
    case FRAME_ROOM:
        if (length != 4) refuse("a count that is none");
        stream->credit += get_number(payload, 4);
        if (stream->credit > SENT_WINDOW_BYTES) refuse("more room than a window");
        break;
    }
}

/* Reads frames while their answers have room. False: the input has ended. */
static bool read_input(const struct carrier *carrier) {
    static unsigned char bytes[HEADER_BYTES + MAX_PAYLOAD_BYTES];
    static size_t held;
    ssize_t length = read(STDIN_FILENO, bytes + held, sizeof bytes - held);
    if (length == 0) return false;
    if (length < 0) {
        if (errno != EAGAIN && errno != EINTR) fail("standard input");
        return true;
    }
    held += (size_t)length;
    size_t at = 0;
    while (held - at >= HEADER_BYTES) {
        size_t payload = get_number(bytes + at + 5, 2);
        if (payload > MAX_PAYLOAD_BYTES) refuse("a frame that is too long");
        if (held - at < HEADER_BYTES + payload) break;
        take_frame(carrier, (char)bytes[at], get_number(bytes + at + 1, 4), bytes + at + HEADER_BYTES, payload);
        at += HEADER_BYTES + payload;
    }
    memmove(bytes, bytes + at, held - at);
    held -= at;
    return true;
}

/* Most frames in one buffer of input: each may need an answer. */
_Static_assert((HEADER_BYTES + MAX_PAYLOAD_BYTES) / HEADER_BYTES * ANSWER_BYTES <= FOR_ANSWERS_BYTES, "answers have room");

void begin_carrying(void) {
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < STREAMS_MAX; i++) streams[i].fd = -1;
    output = (struct queue){.bytes = allocated(OUTPUT_BYTES), .capacity = OUTPUT_BYTES};
    if (fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) != 0 || fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK) != 0)
        fail("standard input and output");
}

/* What a stream waits for. Without an event the end of the other side would be told again and again. */
static short events_of(const struct stream *stream) {
    if (stream->is_connecting) return POLLOUT;
    return (short)((readable(stream) > 0 ? POLLIN : 0) | (stream->out.length > 0 ? POLLOUT : 0));
}

static void attend(const struct carrier *carrier, struct stream *stream, short revents) {
    uint32_t number = stream->number;
    if (stream->is_connecting) {
        if (!carrier->connected || !carrier->connected(stream)) return;
        /* What came meanwhile. */
        if (stream->out.length > 0 || stream->has_been_sent_end) write_connection(stream);
        return;
    }
    if (revents & (POLLOUT | POLLERR) && stream->out.length > 0) write_connection(stream);
    if (stream->fd < 0 || stream->number != number) return;
    if (stream->has_read_end) {
        if (carrier->closes_lost && revents & (POLLHUP | POLLERR)) close_stream(stream);
    } else if (revents & (POLLIN | POLLHUP | POLLERR))
        read_connection(stream);
}

void carry(const struct carrier *carrier) {
    for (;;) {
        enum { IN, OUT, DOOR, FIRST };
        bool has_room = queue_room(&output) >= FOR_ANSWERS_BYTES;
        bool accepts = !carrier->may_accept || carrier->may_accept();
        struct pollfd polled[FIRST + STREAMS_MAX] = {
            [IN] = {.fd = has_room ? STDIN_FILENO : -1, .events = POLLIN},
            [OUT] = {.fd = output.length > 0 ? STDOUT_FILENO : -1, .events = POLLOUT},
            [DOOR] = {.fd = has_room && accepts ? carrier->door : -1, .events = POLLIN},
        };
        for (size_t i = 0; i < STREAMS_MAX; i++) {
            short events = events_of(&streams[i]);
            bool is_watched = events || (carrier->closes_lost && streams[i].has_read_end);
            polled[FIRST + i] = (struct pollfd){.fd = is_watched ? streams[i].fd : -1, .events = events};
        }
        if (poll(polled, FIRST + STREAMS_MAX, accepts ? -1 : 100) < 0) {
            if (errno == EINTR) continue;
            fail("poll");
        }
        if (polled[OUT].revents && queue_write(&output, STDOUT_FILENO) < 0) return;
        for (size_t i = 0; i < STREAMS_MAX; i++) {
            const struct pollfd *of = &polled[FIRST + i];
            if (of->fd >= 0 && of->revents != 0) attend(carrier, &streams[i], of->revents);
        }
        if (polled[IN].revents && !read_input(carrier)) return;
        if (polled[DOOR].revents) carrier->accept(carrier->door);
    }
}
