/*
 * The frames between a backend and a holder, over the stdio of an exec without a terminal. A frame has one byte for its
 * type, three bytes for the length (big-endian), and so many bytes. Offsets count each output of the program from its
 * first byte. A terminal has one output. Capital letters are frames of standard error, which programs on pipes have.
 *
 * A server meets holders of older images, and older servers meet this holder. So frames may be added, but existing ones
 * never change.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* 1: terminals only. 2: programs on pipes, a log of any size, an end that waits to be collected. */
#define PROTOCOL_VERSION 2

enum stream { STREAM_OUT, STREAM_ERROR, STREAMS };

#define HEADER_BYTES 4
#define OFFSET_BYTES 8
/* Longest payload: the largest message of a browser. */
#define MAX_PAYLOAD_BYTES (64 * 1024)

/* To the holder. */
#define FRAME_INPUT 'i'  /* input */
#define FRAME_SIZE 'r'   /* columns, rows: two bytes each */
#define FRAME_ACK 'a'    /* offset before which output need not be kept any longer */
#define FRAME_ERROR_ACK 'A'
#define FRAME_WAIT 'w'   /* seconds (four bytes) for which a holder waits for a client while none is attached */
#define FRAME_END 'e'    /* end the program like a closed terminal; after FRAME_EXIT also: the end was collected */
#define FRAME_INPUT_END 'd' /* the end of the input; a terminal has none */
#define FRAME_SIGNAL 's' /* number of the signal (one byte) for the whole session: SIGINT, SIGTERM or SIGKILL */

/* From the holder. */
#define FRAME_HELLO 'h'  /* version, then lines "name=value" about the program; the first frame */
#define FRAME_OUTPUT 'o' /* offset of the first byte, then the bytes */
#define FRAME_ERROR_OUTPUT 'O'
#define FRAME_TAKEN 't'  /* number of input bytes that no longer wait (eight bytes), counted from the attachment on */
#define FRAME_LOST 'l'   /* offset at which output continues; earlier output is gone */
#define FRAME_ERROR_LOST 'L'
#define FRAME_EXIT 'x'   /* wait status (four bytes), after all output */
#define FRAME_GONE 'g'   /* no process of the session is left; the last frame */

static inline void put_number(unsigned char *to, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) to[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
}

static inline uint64_t get_number(const unsigned char *from, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | from[i];
    return value;
}

static inline void put_header(unsigned char *to, char type, size_t length) {
    to[0] = (unsigned char)type;
    put_number(to + 1, length, 3);
}

#endif
