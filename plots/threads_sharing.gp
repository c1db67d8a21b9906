# Time against threads again: two variants whose threads write to the same cache lines, and do not.
load dir.'/threads_time.gp'
