// Code in large pages, before children are forked. It knows no engine.
#pragma once

namespace zygote {

/**
 * Moves the code of loaded libraries into large pages where the system has them. A file's pages are mapped again, sixteen at a
 * time, in every child that comes to them; pages of the process's own come with the fork, and one entry of the processor's
 * tables covers 2 MiB of them. Addresses stay. To be called while there is one thread.
 */
void useLargePagesForCode();

}  // namespace zygote
