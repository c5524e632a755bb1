// Provides the small memory blocks of a child. Knows nothing about LibreOffice.
#pragma once

namespace zygote {

/**
 * Takes small blocks from pages of this process's own from now on, and does not free earlier small ones. glibc would
 * reuse and join free blocks all over the inherited heap, and every page that it writes to is copied first (fork(2)): a
 * third of the time that a small document takes. Call it in the only thread, after the fork.
 */
void useOwnPages();

}  // namespace zygote
