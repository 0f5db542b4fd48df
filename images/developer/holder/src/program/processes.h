/* Reads processes from /proc, and ends those of a terminal. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <stdint.h>
#include <sys/types.h>

struct process {
    pid_t pid, parent, group, session;
    uint64_t ticks; /* when it started, in clock ticks since boot */
    int dead;       /* a zombie, or about to be removed */
    int stopped;    /* by a signal, not by a debugger */
};

/* Returns 0, or -1 if there is no such process. */
int process_read(pid_t pid, struct process *process);
int process_ignores_hangup(pid_t pid);
/* Whether a process of the group has stopped. */
int processes_have_stopped(pid_t group);

/*
 * Ends the processes of a terminal, given its first one, like a closed terminal: hang-up and, after a grace, kills
 * until none is left. It ends the whole session and all its descendants. It spares processes that ignore SIGHUP, with
 * their descendants, and those in another session that are no longer descendants. It never spares the first process
 * itself. If that has ended by itself, background processes get half a second to leave the session first. Takes up to
 * 16 s. Returns 0 if none is left.
 */
int processes_end(pid_t leader, uint64_t ticks);
/* Signals all processes in the session of a first process, in all process groups. */
void processes_signal(pid_t leader, uint64_t ticks, int number);

#endif
