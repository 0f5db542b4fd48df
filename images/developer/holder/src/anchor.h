/*
 * Two processes that make stops real. A program that leads its session has no job control above it: the kernel drops the
 * SIGTSTP, SIGTTIN and SIGTTOU of an orphaned process group, and a program that sent one to its group waits for a SIGCONT
 * that never comes. A group is not orphaned while one of its members has a parent in another group of the same session, so
 * the anchor is that parent, and its child is that member. Then the group stops, this process is told, and continues it.
 */
#ifndef ANCHOR_H
#define ANCHOR_H

/* The only words to an anchor. The end of the pipe ends it. */
#define ANCHOR_FOREGROUND 'f' /* give the terminal to the leader's group */

/*
 * Starts both from the process that is about to become the program, and returns once they are there. Without room for
 * them the program starts all the same. `words` is the pipe from which the anchor reads.
 */
void anchor_start(int words);

/* Where the arguments of this process are: the anchor writes over them, so that `ps` says what it is. */
void anchor_name_at(char **arguments, int count);

#endif
