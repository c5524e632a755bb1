// Gives bullets of symbol fonts the characters that they look like. Word writes these codes of fonts as Unicode's
// characters into a PDF, so that they can be copied and read aloud. LibreOffice writes the codes.
#include "corrections/texts.hpp"

#include <algorithm>

#include <com/sun/star/beans/PropertyValue.hpp>
#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexReplace.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/style/XStyleFamiliesSupplier.hpp>
#include <com/sun/star/uno/Sequence.hxx>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

struct Bullet {
  const char* font;
  sal_Unicode code;
  sal_Unicode character;
};

/** The usual bullets of Word. The fonts that container/fonts/symbol-fonts.ts makes have both characters. */
constexpr Bullet bullets[] = {{"Symbol", 0xf0b7, 0x2022}, {"Wingdings", 0xf0a7, 0x25aa}};

using Level = css::uno::Sequence<css::beans::PropertyValue>;

/** Returns the value of a level's property, or null. */
Any* valueOf(Level& level, const char* name) {
  const auto found = std::find_if(level.begin(), level.end(), [&](const css::beans::PropertyValue& property) {
    return property.Name.equalsAscii(name);
  });
  return found == level.end() ? nullptr : &found->Value;
}

/** Returns true if the level was changed. */
bool mendLevel(Level& level) {
  Any* const font = valueOf(level, "BulletFontName");
  Any* const character = valueOf(level, "BulletChar");
  if (font == nullptr || character == nullptr) return false;
  for (const Bullet& bullet : bullets) {
    if (*font != Any(OUString::createFromAscii(bullet.font)) || *character != Any(OUString(bullet.code))) continue;
    *character <<= OUString(bullet.character);
    return true;
  }
  return false;
}

}  // namespace

void mendBullets(const Reference<css::lang::XComponent>& document) {
  const Reference<css::style::XStyleFamiliesSupplier> families(document, UNO_QUERY_THROW);
  const Reference<css::container::XNameAccess> styles(families->getStyleFamilies()->getByName("NumberingStyles"),
                                                      UNO_QUERY_THROW);
  for (const OUString& name : styles->getElementNames()) {
    const Reference<XPropertySet> style(styles->getByName(name), UNO_QUERY_THROW);
    const Reference<css::container::XIndexReplace> rules(style->getPropertyValue("NumberingRules"), UNO_QUERY_THROW);
    bool isChanged = false;
    for (sal_Int32 index = 0; index < rules->getCount(); index++) {
      Level level;
      rules->getByIndex(index) >>= level;
      if (!mendLevel(level)) continue;
      rules->replaceByIndex(index, Any(level));
      isChanged = true;
    }
    if (isChanged) style->setPropertyValue("NumberingRules", Any(rules));
  }
}

}  // namespace zygote
