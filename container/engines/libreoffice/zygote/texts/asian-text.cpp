// Sets Asian text as Word does. Word adds three tenths to the height of Asian fonts, half above and half below, where a
// line has Asian characters, but PowerPoint and Excel do not: Word's lines need fonts of their own. The Normal style of
// Korean Word has no gap between Hangul and Latin text, and neither has Word's own Normal style, which is used if a file
// defines none. LibreOffice ignores the properties for gaps (autoSpaceDE and autoSpaceDN).
#include "corrections/texts.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/text/XTextRange.hpp>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

bool isHangul(sal_Unicode unit) { return (unit >= 0x1100 && unit < 0x1200) || (unit >= 0xac00 && unit < 0xd7b0); }

/** Reports whether a character is Hangul, Kana or an ideograph. */
bool isAsian(sal_Unicode unit) {
  return isHangul(unit) || (unit >= 0x3040 && unit < 0xa000) || (unit >= 0xf900 && unit < 0xfb00) ||
         (unit >= 0xd840 && unit < 0xd880);
}

bool hasAny(const OUString& text, bool (*test)(sal_Unicode)) {
  return std::any_of(text.getStr(), text.getStr() + text.getLength(), test);
}

OUString wide(const std::string& text) { return OUString::fromUtf8({text.data(), sal_Int32(text.size())}); }

/**
 * Returns the families with Word's lines by the names of the fonts that they replace. container/fonts lists them beside
 * its configuration of fontconfig: a name and a family on each line, separated by a tab.
 */
const std::map<OUString, OUString>& wordFonts() {
  static const auto fonts = [] {
    std::map<OUString, OUString> read;
    const char* const rules = std::getenv("FONTCONFIG_FILE");
    const std::string path(rules == nullptr ? "" : rules);
    std::ifstream list(path.substr(0, path.rfind('/') + 1) + "word-fonts.txt");
    for (std::string name, family; std::getline(list, name, '\t') && std::getline(list, family);)
      read.emplace(wide(name), wide(family));
    return read;
  }();
  return fonts;
}

void setWordFont(const Reference<XPropertySet>& portion) {
  OUString name;
  portion->getPropertyValue("CharFontNameAsian") >>= name;
  sal_Int32 start = 0;
  const auto font = wordFonts().find(name.getToken(0, ';', start));
  // LibreOffice uses the first installed family of a list.
  if (font != wordFonts().end()) portion->setPropertyValue("CharFontNameAsian", Any(font->second + ";" + name));
}

}  // namespace

void mendAsianText(const Paragraph& paragraph) {
  const OUString text = Reference<css::text::XTextRange>(paragraph, UNO_QUERY_THROW)->getString();
  if (!hasAny(text, isAsian)) return;
  const Reference<XPropertySet> properties(paragraph, UNO_QUERY_THROW);
  if (hasAny(text, isHangul) && properties->getPropertyValue("ParaStyleName") == Any(OUString("Standard")))
    properties->setPropertyValue("ParaIsCharacterDistance", Any(false));
  for (const auto portions = paragraph->createEnumeration(); portions->hasMoreElements();) {
    const Reference<css::text::XTextRange> portion(portions->nextElement(), UNO_QUERY);
    if (portion.is() && hasAny(portion->getString(), isAsian)) setWordFont({portion, UNO_QUERY_THROW});
  }
}

}  // namespace zygote
