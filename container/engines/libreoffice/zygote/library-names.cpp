// Replaces dladdr(3), which finds the library that contains an address. LibreOffice calls it for every component that
// it loads. The C library's function also searches all symbols of that library, which takes 5 % of a small conversion;
// LibreOffice needs only the library's name. This function is exported (-rdynamic), so that LibreOffice calls it.
#include <dlfcn.h>
#include <link.h>

extern "C" int dladdr(const void* address, Dl_info* info) noexcept {
  dl_find_object found{};
  if (_dl_find_object(const_cast<void*>(address), &found) != 0) return 0;
  const char* const name = found.dlfo_link_map->l_name;
  // The main program has no name in this map. No caller needs its name.
  if (name == nullptr || name[0] == '\0') return 0;
  *info = {name, found.dlfo_map_start, nullptr, nullptr};
  return 1;
}
