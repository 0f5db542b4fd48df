/*
 * relay SOCKET
 *
 * Listens on a Unix socket and carries its connections over standard input and output, in frames (frames.h). The backend
 * holds both, so programs in the container reach it without a network. Who they are is decided by the backend, which
 * knows whose container this is: the relay says nothing about that.
 *
 * It ends when its input ends. A second relay for the same socket takes its place.
 */
#include "frames.h"
#include "queue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* A frame of the backend may have to be answered with one frame without data, of at most 11 bytes. */
#define ANSWER_BYTES (HEADER_BYTES + 4)
/* What waits for standard output. Data is read only while the rest of it is left for answers. */
#define OUTPUT_BYTES 262144
#define FOR_ANSWERS_BYTES 65536
#define WAITING_AT_ONCE 16
/* Connections that are accepted in a second. The backend takes as many, so none of them waits in a pipe. */
#define ACCEPTS_PER_SECOND 20

struct stream {
    /* -1: there is none. */
    int fd;
    uint32_t number;
    /* How much the backend still takes. */
    size_t credit;
    /* What the backend has sent and the connection has not taken. */
    struct queue out;
    /* Consumed, and not told yet. */
    size_t consumed;
    bool has_read_end, has_been_sent_end;
};

static struct stream streams[STREAMS];
static struct queue output;
static uint32_t last_number;

static void fail(const char *what) {
    fprintf(stderr, "slipway-relay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void refuse(const char *why) {
    fprintf(stderr, "slipway-relay: %s\n", why);
    exit(2);
}

static void *allocated(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) fail("memory");
    return memory;
}

static void send_frame(char type, uint32_t stream, const void *payload, size_t length) {
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

static void close_stream(struct stream *stream) {
    send_frame(FRAME_CLOSE, stream->number, NULL, 0);
    forget(stream);
}

/* Both directions have ended. */
static void close_if_done(struct stream *stream) {
    if (stream->has_read_end && stream->has_been_sent_end && stream->out.length == 0) close_stream(stream);
}

static struct stream *stream_of(uint32_t number) {
    for (size_t i = 0; i < STREAMS; i++)
        if (streams[i].fd >= 0 && streams[i].number == number) return &streams[i];
    return NULL;
}

static int accepts_in_second;

static bool may_accept(void) {
    static time_t second;
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) fail("clock");
    if (now.tv_sec != second) accepts_in_second = 0;
    second = now.tv_sec;
    return accepts_in_second < ACCEPTS_PER_SECOND;
}

static void accept_connection(int door) {
    int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    accepts_in_second++;
    for (size_t i = 0; i < STREAMS; i++) {
        if (streams[i].fd >= 0) continue;
        streams[i] = (struct stream){.fd = fd,
                                     .number = ++last_number,
                                     .credit = WINDOW_BYTES,
                                     .out = {.bytes = allocated(WINDOW_BYTES), .capacity = WINDOW_BYTES}};
        send_frame(FRAME_OPEN, streams[i].number, NULL, 0);
        return;
    }
    close(fd);
}

static size_t readable(const struct stream *stream) {
    size_t room = queue_room(&output);
    if (stream->has_read_end || room < FOR_ANSWERS_BYTES + HEADER_BYTES) return 0;
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

static void take_frame(char type, uint32_t number, const unsigned char *payload, size_t length) {
    struct stream *stream = stream_of(number);
    /* It was closed here, and the backend does not know yet. */
    if (!stream) return;
    switch (type) {
    case FRAME_DATA:
        if (stream->has_been_sent_end || queue_room(&stream->out) < length) refuse("more data than there is room for");
        queue_put(&stream->out, payload, length);
        break;
    case FRAME_END:
        stream->has_been_sent_end = true;
        if (stream->out.length > 0) break;
        shutdown(stream->fd, SHUT_WR);
        close_if_done(stream);
        break;
    case FRAME_CLOSE:
        forget(stream);
        break;
    case FRAME_ROOM:
        if (length != 4) refuse("a count that is none");
        stream->credit += get_number(payload, 4);
        if (stream->credit > WINDOW_BYTES) refuse("more room than a window");
        break;
    default:
        refuse("a frame of an unknown type");
    }
}

/* Reads frames while their answers have room. False: the input has ended. */
static bool read_input(void) {
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
        take_frame((char)bytes[at], get_number(bytes + at + 1, 4), bytes + at + HEADER_BYTES, payload);
        at += HEADER_BYTES + payload;
    }
    memmove(bytes, bytes + at, held - at);
    held -= at;
    return true;
}

static int listen_on(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) refuse("the path of the socket is too long");
    strcpy(address.sun_path, path);
    umask(077);
    int door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (door < 0) fail("socket");
    unlink(path);
    if (bind(door, (struct sockaddr *)&address, sizeof address) != 0 || listen(door, WAITING_AT_ONCE) != 0) fail(path);
    return door;
}

/* Most frames in one buffer of input: each may need an answer. */
_Static_assert((HEADER_BYTES + MAX_PAYLOAD_BYTES) / HEADER_BYTES * ANSWER_BYTES <= FOR_ANSWERS_BYTES, "answers have room");

int main(int argc, char **argv) {
    if (argc != 2) refuse("usage: relay SOCKET");
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < STREAMS; i++) streams[i].fd = -1;
    output = (struct queue){.bytes = allocated(OUTPUT_BYTES), .capacity = OUTPUT_BYTES};
    if (fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) != 0 || fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK) != 0)
        fail("standard input and output");
    int door = listen_on(argv[1]);
    send_frame(FRAME_READY, 0, NULL, 0);
    for (;;) {
        enum { IN, OUT, DOOR, FIRST };
        bool has_room = queue_room(&output) >= FOR_ANSWERS_BYTES;
        bool accepts = may_accept();
        struct pollfd polled[FIRST + STREAMS] = {
            [IN] = {.fd = has_room ? STDIN_FILENO : -1, .events = POLLIN},
            [OUT] = {.fd = output.length > 0 ? STDOUT_FILENO : -1, .events = POLLOUT},
            [DOOR] = {.fd = has_room && accepts ? door : -1, .events = POLLIN},
        };
        for (size_t i = 0; i < STREAMS; i++) {
            short events = (short)((readable(&streams[i]) > 0 ? POLLIN : 0) | (streams[i].out.length > 0 ? POLLOUT : 0));
            /* Without an event the end of the other side would be told again and again. */
            polled[FIRST + i] = (struct pollfd){.fd = events ? streams[i].fd : -1, .events = events};
        }
        if (poll(polled, FIRST + STREAMS, accepts ? -1 : 100) < 0) {
            if (errno == EINTR) continue;
            fail("poll");
        }
        if (polled[OUT].revents && queue_write(&output, STDOUT_FILENO) < 0) break;
        for (size_t i = 0; i < STREAMS; i++) {
            int fd = polled[FIRST + i].fd;
            short revents = polled[FIRST + i].revents;
            if (fd < 0 || revents == 0) continue;
            if (revents & (POLLOUT | POLLERR) && streams[i].fd == fd && streams[i].out.length > 0)
                write_connection(&streams[i]);
            if (revents & (POLLIN | POLLHUP | POLLERR) && streams[i].fd == fd) read_connection(&streams[i]);
        }
        if (polled[IN].revents && !read_input()) break;
        if (polled[DOOR].revents) accept_connection(door);
    }
    /* The socket's file stays: it may belong to the next relay by now. */
    return 0;
}
