/* What /proc says of processes, and how a terminal's are ended. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <stdint.h>
#include <sys/types.h>

struct process {
    pid_t pid, parent, group, session;
    uint64_t ticks; /* when it started, in clock ticks since boot */
    int dead;       /* a zombie, or on its way to be none */
    int stopped;    /* by a signal, not by a debugger */
};

/* Answers 0, or -1 when there is no such process. */
int process_read(pid_t pid, struct process *process);
int process_ignores_hangup(pid_t pid);
/* Whether one of the group has stopped. */
int processes_have_stopped(pid_t group);

/*
 * Ends the terminal of a first process as closing it would: hang-up, and after a grace the kill, repeated until none is
 * left. Ended is all of the session and every descendant of it; spared is what ignores SIGHUP, with its descendants, and
 * what is in another session and no descendant any more. The first process itself is never spared. Takes up to 15 s.
 * Answers 0 when nothing is left.
 */
int processes_end(pid_t leader, uint64_t ticks);
/* Signals all of a first process's session, also what has a process group of its own. */
void processes_signal(pid_t leader, uint64_t ticks, int number);

#endif
