// Moves code into large pages, before the zygote forks children.
#pragma once

namespace zygote {

/**
 * Moves the code of loaded libraries into large pages, if the system has them. Pages of files are mapped again in every
 * child on use, sixteen at a time. Anonymous pages are inherited by the fork, and one page table entry covers a large
 * page of 2 MiB. Addresses do not change. Call this while there is only one thread.
 */
void useLargePagesForCode();

}  // namespace zygote
