// Provides the small memory blocks of a child. Knows nothing about LibreOffice.
#pragma once

namespace zygote {

/**
 * From now on, takes small blocks from this process's own pages, and does not free earlier small blocks. glibc would
 * reuse and join free blocks all over the inherited heap, and the kernel would copy every page that it writes to
 * (fork(2)), which takes a third of the time for a small document. Call it after the fork, while there is only one
 * thread.
 */
void useOwnPages();

}  // namespace zygote
