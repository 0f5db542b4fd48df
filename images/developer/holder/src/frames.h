/*
 * The frames between a backend and a holder, over the stdio of an exec without a terminal: one byte that says what it is,
 * three bytes of length (big-endian), then so many bytes. Offsets count each output of the program from its first byte. A
 * terminal has one output. A capital letter is a frame of the error output, which programs on pipes have.
 *
 * A server meets holders of older images, and the other way round. So frames are only added, and no frame changes.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* 1: terminals alone. 2: programs on pipes, a log of any size, an end that waits to be collected. */
#define PROTOCOL_VERSION 2

enum stream { STREAM_OUT, STREAM_ERROR, STREAMS };

#define HEADER_BYTES 4
#define OFFSET_BYTES 8
/* The longest payload that is taken: a browser's largest message. */
#define MAX_PAYLOAD_BYTES (64 * 1024)

/* To the holder. */
#define FRAME_INPUT 'i'  /* bytes that were typed */
#define FRAME_SIZE 'r'   /* columns, rows: two bytes each */
#define FRAME_ACK 'a'    /* offset up to which output needs to be kept no longer */
#define FRAME_ERROR_ACK 'A'
#define FRAME_WAIT 'w'   /* seconds (four bytes) for which an unattached holder waits for somebody */
#define FRAME_END 'e'    /* end the program as a closed terminal would; after FRAME_EXIT also: it was collected */
#define FRAME_INPUT_END 'd' /* no input comes after this; a terminal has no end of input */
#define FRAME_SIGNAL 's' /* number of the signal (one byte) for all of the program's session: SIGINT, SIGTERM or SIGKILL */

/* From the holder. */
#define FRAME_HELLO 'h'  /* version, then "name=value" lines: what is held, said first */
#define FRAME_OUTPUT 'o' /* offset of the first byte, then the bytes */
#define FRAME_ERROR_OUTPUT 'O'
#define FRAME_TAKEN 't'  /* so many bytes of input do not wait any more (eight bytes), counted from the attachment on */
#define FRAME_LOST 'l'   /* offset from which output goes on; what was before it is gone */
#define FRAME_ERROR_LOST 'L'
#define FRAME_EXIT 'x'   /* wait status (four bytes): all output came before it */
#define FRAME_GONE 'g'   /* nothing of the session is left; said last */

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
