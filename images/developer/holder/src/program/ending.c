#include "program/ending.h"

#include <sys/wait.h>
#include <unistd.h>

#include "program/processes.h"

#define ENDER_DONE ((pid_t)-1)

void ending_begin(struct ending *ending, pid_t leader, uint64_t ticks) {
    if (ending->ender) return;
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        /* The attachment must not stay open for the seconds that this takes. */
        close_range(3, ~0u, 0);
        _exit(processes_end(leader, ticks) == 0 ? 0 : 1);
    }
    ending->ender = pid;
    if (pid > 0) return;
    /*
     * There is no room for another process, as under a fork bomb. So this process does it, and reads nothing meanwhile.
     */
    ending->is_left_over = processes_end(leader, ticks) != 0;
    ending->ender = ENDER_DONE;
}

int ending_has_begun(const struct ending *ending) { return ending->ender != 0; }

int ending_is_done(const struct ending *ending) { return ending->ender == ENDER_DONE; }

void ending_reap(struct ending *ending) {
    int status;
    if (ending->ender <= 0 || waitpid(ending->ender, &status, WNOHANG) != ending->ender) return;
    ending->is_left_over = status != 0;
    ending->ender = ENDER_DONE;
}
