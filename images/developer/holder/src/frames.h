/*
 * The frames between a backend and a holder, over the stdio of an exec without a terminal: one byte that says what it is,
 * three bytes of length (big-endian), then so many bytes. Offsets count each of the program's outputs from its first byte.
 * Version 2 added what concerns programs on pipes; terminals speak as in version 1.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>

#define HEADER_BYTES 4
#define OFFSET_BYTES 8
#define PROTOCOL_VERSION 2
/* The longest payload that is accepted: a browser's largest message. */
#define MAX_PAYLOAD_BYTES (64 * 1024)

/* To the holder. */
#define FRAME_INPUT 'i'     /* bytes for the program */
#define FRAME_INPUT_END 'z' /* no more input follows: its pipe is closed once the program has read everything */
#define FRAME_SIZE 'r'      /* columns, rows: two bytes each */
#define FRAME_ACK 'a'       /* offset before which output need not be kept */
#define FRAME_ACK_ERROR 'b' /* the same for the error output */
#define FRAME_WAIT 'w'      /* for how many seconds (four bytes) the holder waits for a backend while none is attached */
#define FRAME_SIGNAL 's'    /* a signal's number (one byte) for the whole session */
#define FRAME_END 'e'       /* end the program as a closed terminal would */
#define FRAME_COLLECT 'c'   /* the exit status is stored, so that the holder may end */

/* From the holder. */
#define FRAME_HELLO 'h'       /* "name=value" lines, the first frame: what is held */
#define FRAME_OUTPUT 'o'      /* offset of the first byte, then the bytes */
#define FRAME_ERROR 'p'       /* the same of the error output */
#define FRAME_TAKEN 't'       /* so many bytes of input were written or dropped (eight bytes), counted from the attachment on */
#define FRAME_LOST 'l'        /* offset at which output continues; what was before it is lost */
#define FRAME_LOST_ERROR 'm'  /* the same of the error output */
#define FRAME_EXIT 'x'        /* wait status (four bytes), after all output */
#define FRAME_GONE 'g'        /* nothing of the session is left; the last frame */

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
