// Moves code into large pages before children are forked.
#pragma once

namespace zygote {

/**
 * Moves the code of loaded libraries into large pages if the system has them. A file's pages are mapped again, sixteen
 * at a time, in every child that reaches them; pages of the process's own are inherited by the fork, and one entry of
 * the processor's tables covers 2 MiB of them. Addresses do not change. Call it while there is one thread.
 */
void useLargePagesForCode();

}  // namespace zygote
