// LibreOffice asks with dladdr(3) in which library an address lies, for every part it loads, and the C library then
// looks through all symbols of that library: a twentieth of a small conversion. The name alone is enough. Exported
// (-rdynamic), so that LibreOffice calls this one.
#include <dlfcn.h>
#include <link.h>

extern "C" int dladdr(const void* address, Dl_info* info) noexcept {
  dl_find_object found{};
  if (_dl_find_object(const_cast<void*>(address), &found) != 0) return 0;
  const char* const name = found.dlfo_link_map->l_name;
  // The program itself goes without a name here; nobody asks where it lies.
  if (name == nullptr || name[0] == '\0') return 0;
  *info = {name, found.dlfo_map_start, nullptr, nullptr};
  return 1;
}
