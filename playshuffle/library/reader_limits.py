"""Define what reading the tags of one file may cost."""

MEMORY_BYTES = 512 * 2**20  # address space of a worker: a file that needs more is unreadable
DEADLINE_S = 10.0  # for one file
