// Replaces the timers of LibreOffice's salhelper library. LibreOffice drops what it has drawn of a picture after 20 s
// without use; the timers for this need a thread, which fork(2) does not copy, and whose lock a child could inherit. A
// child ends sooner. These functions are exported (-rdynamic), so that LibreOffice calls them instead.
#include <salhelper/timer.hxx>

namespace salhelper {

// The library's own destructor starts the thread.
Timer::~Timer() {}

void SAL_CALL Timer::start() {}
void SAL_CALL Timer::stop() {}
sal_Bool SAL_CALL Timer::isTicking() const { return false; }

}  // namespace salhelper
