// Where a child's small blocks of memory come from. It knows nothing of LibreOffice.
#pragma once

namespace zygote {

/**
 * From here on, small blocks come from pages of this process's own, and small ones from before are not given back. glibc
 * would hand out and join free blocks all over the heap that was inherited, and every page it writes to is copied first
 * (fork(2)): a third of the time that a small document takes. To be called by the one thread there is, after the fork.
 */
void useOwnPages();

}  // namespace zygote
