#include "listeners.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Most listeners that are told, and most descriptors of processes that are looked at. */
#define LISTENERS_MAX 64
#define DESCRIPTORS_MAX 65536
#define COMMAND_BYTES 160
/* The state of a socket that listens, in /proc/net/tcp (TCP_LISTEN). */
#define LISTEN 0x0a
/* Where an engine's own name server listens in a container. */
#define ENGINE_RESOLVER "127.0.0.11"

struct listener {
    char address[INET6_ADDRSTRLEN];
    unsigned port;
    unsigned long inode;
    /* 0: no process that this one may look at has it. */
    int pid;
    long long started_at;
    char command[COMMAND_BYTES];
};

static struct listener listeners[LISTENERS_MAX];
static size_t found;

static void read_table(const char *path, int family) {
    FILE *file = fopen(path, "re");
    if (!file) return;
    char line[512];
    while (found < LISTENERS_MAX && fgets(line, sizeof line, file)) {
        char local[33];
        unsigned port, state;
        unsigned long inode;
        if (sscanf(line, " %*d: %32[0-9A-F]:%x %*[0-9A-F]:%*x %x %*s %*s %*s %*u %*d %lu", local, &port, &state, &inode) != 4)
            continue;
        if (state != LISTEN) continue;
        /* Each 32 bits are written as a number of this machine, from memory in network order. */
        uint32_t words[4] = {0};
        for (size_t i = 0; i < strlen(local) / 8; i++) {
            char word[9] = {0};
            memcpy(word, local + 8 * i, 8);
            words[i] = (uint32_t)strtoul(word, NULL, 16);
        }
        struct listener *listener = &listeners[found];
        *listener = (struct listener){.port = port, .inode = inode};
        if (!inet_ntop(family, words, listener->address, sizeof listener->address)) continue;
        if (strcmp(listener->address, ENGINE_RESOLVER) != 0) found++;
    }
    fclose(file);
}

static size_t read_file(const char *path, char *bytes, size_t capacity) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t length = read(fd, bytes, capacity - 1);
    close(fd);
    bytes[length < 0 ? 0 : length] = 0;
    return length < 0 ? 0 : (size_t)length;
}

/* When this machine started, in seconds since 1970. */
static long long boot_time(void) {
    static char stat[1 << 16];
    read_file("/proc/stat", stat, sizeof stat);
    const char *line = strstr(stat, "btime ");
    return line ? atoll(line + 6) : 0;
}

static void describe(struct listener *listener, int pid) {
    char path[64], text[1024];
    listener->pid = pid;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    read_file(path, text, sizeof text);
    /* The command in parentheses may contain anything. The start is the 22nd field, the 20th after them. */
    char *at = strrchr(text, ')');
    unsigned long long ticks = 0;
    if (at && sscanf(at + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &ticks) == 1)
        listener->started_at = boot_time() + (long long)(ticks / (unsigned long long)sysconf(_SC_CLK_TCK));
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    size_t length = read_file(path, text, sizeof text);
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == 0) text[i] = ' ';
    snprintf(listener->command, sizeof listener->command, "%.*s", COMMAND_BYTES - 1, text);
}

static void find_processes(void) {
    DIR *processes = opendir("/proc");
    if (!processes) return;
    size_t looked = 0;
    for (struct dirent *process; (process = readdir(processes)) && looked < DESCRIPTORS_MAX;) {
        if (!isdigit((unsigned char)*process->d_name)) continue;
        char folder[300];
        snprintf(folder, sizeof folder, "/proc/%s/fd", process->d_name);
        DIR *descriptors = opendir(folder);
        if (!descriptors) continue;
        for (struct dirent *entry; (entry = readdir(descriptors)) && looked < DESCRIPTORS_MAX; looked++) {
            char target[64];
            ssize_t length = readlinkat(dirfd(descriptors), entry->d_name, target, sizeof target - 1);
            if (length <= 0) continue;
            target[length] = 0;
            unsigned long inode;
            if (sscanf(target, "socket:[%lu]", &inode) != 1) continue;
            for (size_t i = 0; i < found; i++)
                if (listeners[i].inode == inode && listeners[i].pid == 0) describe(&listeners[i], atoi(process->d_name));
        }
        closedir(descriptors);
    }
    closedir(processes);
}

/* A text in JSON: control characters become blanks. */
static size_t put_text(char *to, const char *text) {
    size_t at = 0;
    to[at++] = '"';
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\') to[at++] = '\\';
        to[at++] = byte < ' ' || byte == 127 ? ' ' : (char)byte;
    }
    to[at++] = '"';
    to[at] = 0;
    return at;
}

size_t list_listeners(char *json, size_t capacity) {
    found = 0;
    read_table("/proc/net/tcp", AF_INET);
    read_table("/proc/net/tcp6", AF_INET6);
    find_processes();
    size_t length = 0;
    json[length++] = '[';
    for (size_t i = 0; i < found; i++) {
        const struct listener *listener = &listeners[i];
        char entry[2 * COMMAND_BYTES + 256], command[2 * COMMAND_BYTES + 3];
        put_text(command, listener->command);
        int size = snprintf(entry, sizeof entry, "%s{\"port\":%u,\"address\":\"%s\",\"pid\":%d,\"startedAt\":%lld,\"command\":%s}",
                            length > 1 ? "," : "", listener->port, listener->address, listener->pid, listener->started_at, command);
        if (size < 0 || length + (size_t)size + 1 > capacity) break;
        memcpy(json + length, entry, (size_t)size);
        length += (size_t)size;
    }
    json[length++] = ']';
    return length;
}
