/*
 * relay SOCKET
 *
 * Listens on a Unix socket and carries its connections over standard input and output, in frames (frames.h). The backend
 * holds both, so programs in the container reach it without a network. Who they are is decided by the backend, which
 * knows whose container this is: the relay says nothing about that.
 *
 * It ends when its input ends. A second relay for the same socket takes its place.
 */
#include "carry.h"
#include "frames.h"

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define WAITING_AT_ONCE 16
/* Connections that are accepted in a second. The backend takes as many, so none of them waits in a pipe. */
#define ACCEPTS_PER_SECOND 20

static uint32_t last_number;
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
    struct stream *stream = add_stream(last_number + 1, fd, STREAMS);
    if (!stream) {
        close(fd);
        return;
    }
    last_number++;
    send_frame(FRAME_OPEN, stream->number, NULL, 0);
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

int main(int argc, char **argv) {
    if (argc != 2) refuse("usage: relay SOCKET");
    begin_carrying();
    struct carrier relay = {.door = listen_on(argv[1]), .may_accept = may_accept, .accept = accept_connection};
    send_frame(FRAME_READY, 0, NULL, 0);
    carry(&relay);
    /* The socket's file stays: it may belong to the next relay by now. */
    return 0;
}
