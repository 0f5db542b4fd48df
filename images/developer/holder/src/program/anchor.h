/*
 * Two processes that provide job control for a held program. A program that leads its session has none above it. The
 * kernel drops the SIGTSTP, SIGTTIN and SIGTTOU of an orphaned process group, and a program that sent one to its group
 * waits for a SIGCONT that never comes. A group is not orphaned while one of its members has a parent in another group
 * of the same session. So the anchor is that parent, and its child is that member. Then the group stops, the holder is
 * told, and continues it.
 */
#ifndef ANCHOR_H
#define ANCHOR_H

/* The only message to an anchor. The end of the pipe ends it. */
#define ANCHOR_FOREGROUND 'f' /* give the terminal to the leader's group */

/*
 * Starts both from the process that is about to become the program, and returns when they exist. If there is no room
 * for them, the program starts without. `words` is the pipe from which the anchor reads.
 */
void anchor_start(int words);

/* Sets where the arguments of this process are. The anchor overwrites them, so that `ps` shows its name. */
void anchor_name_at(char **arguments, int count);

#endif
