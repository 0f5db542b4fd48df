# Marks a worktree as ready again, after its set-up. Arguments: the folder of our own, its git folder.
admin=$1
mark_ready
