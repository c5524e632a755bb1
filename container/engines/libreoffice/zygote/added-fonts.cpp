// Adds fonts as LibreOffice adds those that a document embeds.
#include "added-fonts.hpp"

#include <dlfcn.h>

#include <rtl/ustring.hxx>

#include "program.hpp"

namespace zygote {

void addFonts(const std::string& folder, void* library) {
  const std::vector<std::string> names = namesIn(folder);
  if (names.empty()) return;
  // Both functions are internal to LibreOffice: the device whose fonts all others share, and OutputDevice's addition of
  // a font file. A member function takes its object as the first argument.
  const auto defaultDevice = reinterpret_cast<void* (*)()>(dlsym(library, "_ZN11Application16GetDefaultDeviceEv"));
  using Add = bool (*)(void*, const rtl::OUString&, const rtl::OUString&);
  const auto add =
      reinterpret_cast<Add>(dlsym(library, "_ZN12OutputDevice14AddTempDevFontERKN3rtl8OUStringES3_"));
  if (defaultDevice == nullptr || add == nullptr) return;
  for (const std::string& name : names) {
    // Without a name, the font keeps its own.
    const std::string url = "file://" + folder + "/" + name;
    add(defaultDevice(), rtl::OUString::fromUtf8({url.data(), static_cast<sal_Int32>(url.size())}), rtl::OUString());
  }
}

}  // namespace zygote
