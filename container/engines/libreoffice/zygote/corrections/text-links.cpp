// Sets a character style on links in texts, because LibreOffice exports only links that have a style.
#include "texts/paragraphs.hpp"
#include "corrections/texts.hpp"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XNameContainer.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/style/XStyleFamiliesSupplier.hpp>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

constexpr char styleName[] = "Link without a style";
/** Name of the default style, which text without a style has. */
constexpr char noStyle[] = "Default Style";
constexpr char linkStyles[] = "UnvisitedCharStyleName";

/** Returns a text property of a portion, or an empty string if portions of this kind lack the property. */
OUString textOf(const Reference<XPropertySet>& portion, const char* property) {
  OUString text;
  try {
    portion->getPropertyValue(OUString::createFromAscii(property)) >>= text;
  } catch (const css::beans::UnknownPropertyException&) {
  }
  return text;
}

/** Adds a style without formatting. */
void addStyle(const Reference<css::lang::XComponent>& document) {
  const Reference<css::style::XStyleFamiliesSupplier> families(document, UNO_QUERY_THROW);
  const Reference<css::container::XNameContainer> styles(families->getStyleFamilies()->getByName("CharacterStyles"),
                                                         UNO_QUERY_THROW);
  const Reference<css::lang::XMultiServiceFactory> factory(document, UNO_QUERY_THROW);
  if (!styles->hasByName(styleName))
    styles->insertByName(styleName, Any(factory->createInstance("com.sun.star.style.CharacterStyle")));
}

}  // namespace

void mendLinks(const Reference<css::lang::XComponent>& document, const Paragraph& paragraph) {
  for (const auto portions = paragraph->createEnumeration(); portions->hasMoreElements();) {
    const Reference<XPropertySet> portion(portions->nextElement(), UNO_QUERY_THROW);
    if (textOf(portion, "HyperLinkURL").isEmpty() || textOf(portion, linkStyles) != noStyle) continue;
    addStyle(document);
    portion->setPropertyValue(linkStyles, Any(OUString(styleName)));
  }
}

}  // namespace zygote
