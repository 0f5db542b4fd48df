#include "program/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* More than a container may have (its PidsLimit is 512). Any others are found in the next round. */
#define MAX_PROCESSES 4096
/* Rounds that background processes have to leave the session after their program has ended by itself. */
#define LEAVE_ROUNDS 25
#define LEAVE_ROUND_MS 20
/* Rounds between hang-up and kill, for a closed terminal's programs to save their work. */
#define GRACE_ROUNDS 50
#define GRACE_ROUND_MS 100
#define KILL_ROUNDS 200
#define KILL_ROUND_MS 50
/* Several rounds, because a process may fork between the listing and the kill. */
#define SIGNAL_KILL_ROUNDS 3

enum fate { OUTSIDE, TARGET, SPARED };

struct entry {
    struct process process;
    enum fate fate;
};

struct table {
    struct entry entries[MAX_PROCESSES];
    size_t count;
};

/* Remembers decisions: a target stays one if its parent dies and it gets another one. */
static struct table now, before;

static ssize_t read_file(pid_t pid, const char *name, char *to, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t length = read(fd, to, size - 1);
    close(fd);
    if (length >= 0) to[length] = '\0';
    return length;
}

int process_read(pid_t pid, struct process *process) {
    char text[1024];
    if (read_file(pid, "stat", text, sizeof text) <= 0) return -1;
    /* A name may have any characters, also parentheses. The fields after it begin at the last one. */
    char *rest = strrchr(text, ')');
    char state;
    int parent, group, session;
    unsigned long long ticks;
    if (!rest || sscanf(rest + 1,
                        " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                        &state, &parent, &group, &session, &ticks) != 5)
        return -1;
    *process = (struct process){.pid = pid,
                                .parent = parent,
                                .group = group,
                                .session = session,
                                .ticks = ticks,
                                .dead = state == 'Z' || state == 'X',
                                .stopped = state == 'T'};
    return 0;
}

int process_ignores_hangup(pid_t pid) {
    char text[4096];
    if (read_file(pid, "status", text, sizeof text) <= 0) return 0;
    char *line = strstr(text, "\nSigIgn:");
    return line && (strtoull(line + 8, NULL, 16) & 1ull << (SIGHUP - 1));
}

int processes_have_stopped(pid_t group) {
    int found = 0;
    DIR *folder = opendir("/proc");
    if (!folder) return 0;
    for (struct dirent *item; !found && (item = readdir(folder));) {
        struct process process;
        if (!isdigit((unsigned char)item->d_name[0]) || process_read(atoi(item->d_name), &process) != 0) continue;
        found = process.group == group && process.stopped;
    }
    closedir(folder);
    return found;
}

static enum fate fate_before(const struct process *process) {
    for (size_t i = 0; i < before.count; i++) {
        const struct process *old = &before.entries[i].process;
        if (old->pid == process->pid && old->ticks == process->ticks) return before.entries[i].fate;
    }
    return OUTSIDE;
}

static enum fate fate_of_parent(const struct process *process) {
    if (process->parent <= 1) return OUTSIDE;
    for (size_t i = 0; i < now.count; i++)
        if (now.entries[i].process.pid == process->parent) return now.entries[i].fate;
    return OUTSIDE;
}

/* Gives the fate to all undecided descendants of processes that have it. */
static void spread(enum fate fate) {
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t i = 0; i < now.count; i++) {
            struct entry *entry = &now.entries[i];
            if (entry->fate != OUTSIDE || fate_of_parent(&entry->process) != fate) continue;
            entry->fate = fate;
            changed = 1;
        }
    }
}

static void list(void) {
    now.count = 0;
    DIR *folder = opendir("/proc");
    if (!folder) return;
    for (struct dirent *item; (item = readdir(folder)) && now.count < MAX_PROCESSES;) {
        if (!isdigit((unsigned char)item->d_name[0])) continue;
        struct entry *entry = &now.entries[now.count];
        if (process_read(atoi(item->d_name), &entry->process) != 0 || entry->process.dead) continue;
        if (entry->process.pid == 1 || entry->process.pid == getpid()) continue;
        entry->fate = fate_before(&entry->process);
        now.count++;
    }
    closedir(folder);
}

/* Finds the spared processes first, so that their descendants are spared in any order. */
static void collect(pid_t leader) {
    before = now;
    list();
    for (size_t i = 0; i < now.count; i++) {
        struct entry *entry = &now.entries[i];
        pid_t pid = entry->process.pid;
        if (entry->fate == OUTSIDE && pid != leader && process_ignores_hangup(pid)) entry->fate = SPARED;
    }
    spread(SPARED);
    for (size_t i = 0; i < now.count; i++) {
        struct entry *entry = &now.entries[i];
        if (entry->process.pid == leader || (entry->fate == OUTSIDE && entry->process.session == leader))
            entry->fate = TARGET;
    }
    spread(TARGET);
}

/* Returns the number of targets. */
static size_t signal_targets(int number) {
    size_t count = 0;
    for (size_t i = 0; i < now.count; i++) {
        if (now.entries[i].fate != TARGET) continue;
        count++;
        if (number) kill(now.entries[i].process.pid, number);
    }
    return count;
}

static void rest(long ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Whether the pid belongs to a new process now, which leads no session of ours. */
static int is_another(pid_t leader, uint64_t ticks) {
    struct process first;
    return process_read(leader, &first) == 0 && first.ticks != ticks;
}

void processes_signal(pid_t leader, uint64_t ticks, int number) {
    if (is_another(leader, ticks)) return;
    int rounds = number == SIGKILL ? SIGNAL_KILL_ROUNDS : 1;
    while (rounds-- > 0) {
        list();
        for (size_t i = 0; i < now.count; i++)
            if (now.entries[i].process.session == leader) kill(now.entries[i].process.pid, number);
    }
    now.count = before.count = 0;
}

/*
 * Whether processes are in the session of a first process that has ended. One that detaches itself (setsid -f, a daemon)
 * still is, for a moment.
 */
static int may_be_leaving(pid_t leader) {
    struct process first;
    if (process_read(leader, &first) == 0 && !first.dead) return 0;
    list();
    for (size_t i = 0; i < now.count; i++)
        if (now.entries[i].process.session == leader && !process_ignores_hangup(now.entries[i].process.pid)) return 1;
    return 0;
}

int processes_end(pid_t leader, uint64_t ticks) {
    if (is_another(leader, ticks)) return 0;
    for (int round = 0; round < LEAVE_ROUNDS && may_be_leaving(leader); round++) rest(LEAVE_ROUND_MS);
    now.count = 0;
    collect(leader);
    signal_targets(SIGHUP);
    /* A stopped process would not handle the signal. */
    signal_targets(SIGCONT);
    for (int round = 0; round < GRACE_ROUNDS; round++) {
        collect(leader);
        if (signal_targets(0) == 0) return 0;
        rest(GRACE_ROUND_MS);
    }
    for (int round = 0; round < KILL_ROUNDS; round++) {
        collect(leader);
        signal_targets(SIGSTOP);
        /* Stopped processes cannot fork, so this finds all that were added meanwhile. */
        collect(leader);
        if (signal_targets(SIGKILL) == 0) return 0;
        rest(KILL_ROUND_MS);
    }
    return -1;
}
