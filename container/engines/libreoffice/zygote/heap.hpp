// Allocates the small memory blocks of a child.
#pragma once

namespace zygote {

/**
 * From now on, allocates small blocks in new pages of this process, and does not free earlier small blocks. glibc would
 * reuse and join free blocks all over the inherited heap, and the kernel would copy every page that it writes to
 * (fork(2)), which takes a third of the time for a small document. Call it after the fork, while there is only one
 * thread.
 */
void useOwnPages();

}  // namespace zygote
