// Moves code into large pages, before the zygote forks children.
#pragma once

namespace zygote {

/**
 * Moves the code of loaded libraries into large pages, if the system has them. Without this, every child maps the
 * files' pages again on use, sixteen at a time. Anonymous pages are inherited by the fork, and a large page needs one
 * page table entry for 2 MiB. Addresses do not change. Call this while there is only one thread.
 */
void useLargePagesForCode();

}  // namespace zygote
