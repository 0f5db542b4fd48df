/* Connections that a program carries over its standard input and output, in frames (frames.h). */
#ifndef CARRY_H
#define CARRY_H

#include "queue.h"

#include <stdbool.h>
#include <stdint.h>

/* Most connections of any program that carries some. */
#define STREAMS_MAX 128

struct stream {
    /* -1: there is none. */
    int fd;
    uint32_t number;
    /* Until it is known whether there is a connection. The port is then what the program wants of it. */
    bool is_connecting;
    uint16_t port;
    /* How much the backend still takes. */
    size_t credit;
    /* What the backend has sent and the connection has not taken. */
    struct queue out;
    /* Consumed, and not told yet. */
    size_t consumed;
    bool has_read_end, has_been_sent_end;
};

/* What differs between programs. Each part may be missing. */
struct carrier {
    /* A descriptor with connections to accept, or -1. */
    int door;
    bool (*may_accept)(void);
    void (*accept)(int door);
    /* Whether a stream that was connecting has a connection. False: its end has been told. */
    bool (*connected)(struct stream *stream);
    /*
     * Whether a stream is closed when its connection is lost after its end was read. Otherwise that is seen with the next
     * write, and a client that has sent all and left is still served.
     */
    bool closes_lost;
    /* Takes a frame of another type than those of all carriers. False: its type is unknown. */
    bool (*take)(char type, uint32_t number, const unsigned char *payload, size_t length);
};

/* Ends the program: a call failed, or a rule was broken. */
void fail(const char *what);
void refuse(const char *why);

/* A new stream of the descriptor. Null: there are `most` already. */
struct stream *add_stream(uint32_t number, int fd, size_t most);
struct stream *stream_of(uint32_t number);
/* Tells that it is closed, and forgets it. */
void close_stream(struct stream *stream);

void send_frame(char type, uint32_t stream, const void *payload, size_t length);

/* Prepares standard input and output. Before any other call. */
void begin_carrying(void);
/* Carries until its input ends. */
void carry(const struct carrier *carrier);

#endif
