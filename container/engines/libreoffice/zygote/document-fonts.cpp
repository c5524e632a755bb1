// Adds fonts as LibreOffice adds those that a document embeds. Compares requested fonts with the ones that LibreOffice used, which it records for this purpose (UNO's
// XFontMappingUse).
#include "document-fonts.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <set>
#include <vector>

#include <com/sun/star/awt/XFontMappingUse.hpp>
#include <com/sun/star/lang/XMultiComponentFactory.hpp>
#include <rtl/ustring.hxx>

#include "font-list.hpp"
#include "program.hpp"

using css::uno::Reference;
using rtl::OUString;

namespace zygote {
namespace {

using Context = Reference<css::uno::XComponentContext>;

Reference<css::awt::XFontMappingUse> recorder(const Context& context) {
  const auto toolkit =
      context->getServiceManager()->createInstanceWithContext("com.sun.star.awt.Toolkit", context);
  return Reference<css::awt::XFontMappingUse>(toolkit, css::uno::UNO_QUERY);
}

/** Removes the style, which follows a slash. */
OUString familyOf(const OUString& font) {
  const sal_Int32 end = font.indexOf('/');
  return end < 0 ? font : font.copy(0, end);
}

/** Removes the family that mendAsianText puts in front of the one that a document names. */
OUString withoutMade(const OUString& list) {
  return list.startsWith("Fit ") ? list.copy(list.indexOf(';') + 1) : list;
}

/** Reports whether a family is in a list, which is separated by semicolons and in the order of preference. */
bool isListed(const OUString& list, const OUString& family) {
  for (sal_Int32 at = 0; at >= 0;) {
    if (list.getToken(0, ';', at).trim().equalsIgnoreAsciiCase(family)) return true;
  }
  return false;
}

/** Returns a name such as `Carlito-Bold`; a regular style is left out. */
OUString postScriptName(const OUString& font) {
  const OUString family = familyOf(font).replaceAll(" ", "");
  const OUString style = font.copy(std::min(font.getLength(), familyOf(font).getLength() + 1)).replaceAll(" ", "");
  return style.isEmpty() || style == "Regular" ? family : family + "-" + style;
}

std::string narrow(const OUString& text) {
  return std::string(rtl::OUStringToOString(text, RTL_TEXTENCODING_UTF8).getStr());
}

}  // namespace

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

void recordFonts(const Context& context) {
  const auto fonts = recorder(context);
  if (fonts.is()) fonts->startTrackingFontMappingUse();
}

std::string replacedFonts(const Context& context) {
  std::set<std::string> replaced;
  const auto fonts = recorder(context);
  if (!fonts.is()) return "";
  for (const css::awt::XFontMappingUseItem& item : fonts->finishTrackingFontMappingUse()) {
    if (!item.usedFonts.hasElements()) continue;
    // Further fonts have the characters that the first one lacks.
    const OUString used = item.usedFonts[0];
    const OUString requested = withoutMade(familyOf(item.originalFont));
    sal_Int32 start = 0;
    const OUString first = requested.getToken(0, ';', start).trim();
    if (first.isEmpty() || isListed(requested, familyOf(used))) continue;
    replaced.insert(narrow(postScriptName(used)) + " for " + narrow(first));
  }
  return fontList(replaced);
}

}  // namespace zygote
