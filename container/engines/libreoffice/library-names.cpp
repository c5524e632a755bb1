// Replaces dladdr(3), with which LibreOffice asks for the library of an address, for every part that it loads. The C
// library's function also searches all symbols of that library, which takes a twentieth of a small conversion; the name
// alone is enough. Exported (-rdynamic), so that LibreOffice calls this one.
#include <dlfcn.h>
#include <link.h>

extern "C" int dladdr(const void* address, Dl_info* info) noexcept {
  dl_find_object found{};
  if (_dl_find_object(const_cast<void*>(address), &found) != 0) return 0;
  const char* const name = found.dlfo_link_map->l_name;
  // The program itself has no name here. No caller asks for it.
  if (name == nullptr || name[0] == '\0') return 0;
  *info = {name, found.dlfo_map_start, nullptr, nullptr};
  return 1;
}
