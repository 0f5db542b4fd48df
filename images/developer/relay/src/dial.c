/*
 * dial
 *
 * Connects to what listens on this container's loopback, and carries the connections over standard input and output, in
 * frames (frames.h). The backend holds both, so that the browser of a user reaches an app without a published port. It also
 * tells what listens.
 *
 * It ends when its input ends.
 */
#include "carry.h"
#include "frames.h"
#include "listeners.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

/* Begins to connect: a descriptor whose connection may still fail, or -1. */
static int begin_connection(int family, uint16_t port) {
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    /* Small messages do not wait for each other. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int result = family == AF_INET ? connect(fd, (struct sockaddr *)&four, sizeof four)
                                   : connect(fd, (struct sockaddr *)&six, sizeof six);
    if (result == 0 || errno == EINPROGRESS) return fd;
    close(fd);
    return -1;
}

static void dial(uint32_t number, uint16_t port) {
    int fd = begin_connection(AF_INET, port);
    bool is_second = fd < 0;
    if (is_second) fd = begin_connection(AF_INET6, port);
    struct stream *stream = fd < 0 ? NULL : add_stream(number, fd, DIALLED);
    if (!stream) {
        if (fd >= 0) close(fd);
        send_frame(FRAME_CLOSE, number, NULL, 0);
        return;
    }
    stream->is_connecting = true;
    /* The other family is tried once. */
    stream->port = is_second ? 0 : port;
}

static bool connected(struct stream *stream) {
    int error = 0;
    if (getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error}) != 0) error = errno;
    if (error == 0) {
        stream->is_connecting = false;
        send_frame(FRAME_OPEN, stream->number, NULL, 0);
        return true;
    }
    int second = stream->port == 0 ? -1 : begin_connection(AF_INET6, stream->port);
    stream->port = 0;
    if (second < 0) {
        close_stream(stream);
        return false;
    }
    close(stream->fd);
    stream->fd = second;
    return false;
}

static bool take(char type, uint32_t number, const unsigned char *payload, size_t length) {
    static char json[MAX_PAYLOAD_BYTES];
    if (type == FRAME_LIST) {
        send_frame(FRAME_LIST, 0, json, list_listeners(json, sizeof json));
        return true;
    }
    if (type != FRAME_DIAL) return false;
    if (length != 2 || number == 0 || stream_of(number)) refuse("a port that is none");
    dial(number, (uint16_t)get_number(payload, 2));
    return true;
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc != 1) refuse("usage: dial");
    begin_carrying();
    send_frame(FRAME_READY, 0, NULL, 0);
    carry(&(struct carrier){.door = -1, .connected = connected, .closes_lost = true, .take = take});
    return 0;
}
