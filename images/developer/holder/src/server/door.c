#include "server/door.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* How long a client may take to send its request. It does so at once. */
#define WISH_WITHIN_MS 200
#define WAITING_AT_ONCE 4

static int address_of(const char *folder, const char *id, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/%s", folder, id);
    if (length > 0 && (size_t)length < sizeof address->sun_path) return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int door_open(const char *folder, const char *id) {
    struct sockaddr_un address;
    if (address_of(folder, id, &address) != 0) return -1;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return -1;
    int door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (door < 0) return -1;
    if (bind(door, (struct sockaddr *)&address, sizeof address) == 0 && listen(door, WAITING_AT_ONCE) == 0) return door;
    int failure = errno;
    close(door);
    errno = failure;
    return -1;
}

void door_remove(const char *folder, const char *id) {
    struct sockaddr_un address;
    if (address_of(folder, id, &address) == 0) unlink(address.sun_path);
}

#define KNOCK_FDS 3
/* The space is rounded up, so one descriptor more may arrive. */
#define MAX_FDS (int)((CMSG_SPACE(KNOCK_FDS * sizeof(int)) - CMSG_LEN(0)) / sizeof(int))

/* Returns how many descriptors came. */
static int take(struct msghdr *message, int fds[MAX_FDS]) {
    struct cmsghdr *extra = CMSG_FIRSTHDR(message);
    if (!extra || extra->cmsg_level != SOL_SOCKET || extra->cmsg_type != SCM_RIGHTS) return 0;
    int count = (int)((extra->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(fds, CMSG_DATA(extra), (size_t)count * sizeof(int));
    return count;
}

int door_answer(int door, struct knock *knock) {
    int guest = accept4(door, NULL, NULL, SOCK_CLOEXEC);
    if (guest < 0) return -1;
    struct timeval within = {.tv_usec = WISH_WITHIN_MS * 1000};
    setsockopt(guest, SOL_SOCKET, SO_RCVTIMEO, &within, sizeof within);
    uint64_t offsets[STREAMS] = {0};
    struct iovec piece = {.iov_base = offsets, .iov_len = sizeof offsets};
    union {
        char space[CMSG_SPACE(KNOCK_FDS * sizeof(int))];
        struct cmsghdr aligned;
    } extra;
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = extra.space, .msg_controllen = sizeof extra.space};
    ssize_t length = recvmsg(guest, &message, MSG_CMSG_CLOEXEC);
    close(guest);
    int fds[MAX_FDS];
    int count = length > 0 ? take(&message, fds) : 0;
    /* The program of an older image knows only one output. */
    int is_whole = length == sizeof offsets || length == sizeof *offsets;
    if (!is_whole || count != KNOCK_FDS) {
        for (int i = 0; i < count; i++) close(fds[i]);
        return -1;
    }
    *knock = (struct knock){.in = fds[0], .out = fds[1], .done = fds[2]};
    memcpy(knock->offsets, offsets, sizeof offsets);
    return 0;
}

/* Returns a socket that is connected to the door, or -1 with errno. */
static int go_to(const char *folder, const char *id) {
    struct sockaddr_un address;
    if (address_of(folder, id, &address) != 0) return -1;
    int guest = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (guest < 0) return -1;
    if (connect(guest, (struct sockaddr *)&address, sizeof address) == 0) return guest;
    int failure = errno;
    close(guest);
    errno = failure;
    return -1;
}

int door_knock(const char *folder, const char *id, const struct knock *knock) {
    int guest = go_to(folder, id);
    if (guest < 0) return -1;
    uint64_t offsets[STREAMS];
    memcpy(offsets, knock->offsets, sizeof offsets);
    int fds[KNOCK_FDS] = {knock->in, knock->out, knock->done};
    struct iovec piece = {.iov_base = offsets, .iov_len = sizeof offsets};
    union {
        char space[CMSG_SPACE(sizeof fds)];
        struct cmsghdr aligned;
    } extra = {0};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = extra.space, .msg_controllen = sizeof extra.space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(header), fds, sizeof fds);
    ssize_t sent = sendmsg(guest, &message, MSG_NOSIGNAL);
    close(guest);
    return sent == sizeof offsets ? 0 : -1;
}

int door_is_held(const char *folder, const char *id) {
    int guest = go_to(folder, id);
    if (guest >= 0) close(guest);
    if (guest >= 0) return 1;
    return errno == ECONNREFUSED ? 0 : -1;
}
