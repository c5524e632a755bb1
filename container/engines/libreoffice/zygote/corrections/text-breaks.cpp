// Reduces the space above paragraphs that follow a page break, which LibreOffice keeps. Word drops the space after a
// page break in the text. After a section break, it leaves only what exceeds the space below the previous paragraph, as
// between two paragraphs of a page. After a page break that a style demands, it drops the space in documents of Word
// 2013 and later, and treats the break as a section break in older documents.
#include "corrections/texts.hpp"

#include <algorithm>

#include <com/sun/star/beans/PropertyState.hpp>
#include <com/sun/star/beans/PropertyValue.hpp>
#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/beans/XPropertyState.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/style/BreakType.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/uno/Sequence.hxx>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** Returns a length in 1/100 mm. */
sal_Int32 lengthOf(const Reference<XPropertySet>& paragraph, const char* name) {
  sal_Int32 length = 0;
  paragraph->getPropertyValue(OUString::createFromAscii(name)) >>= length;
  return length;
}

bool beginsSection(const Reference<XPropertySet>& paragraph) {
  OUString pageStyle;
  return (paragraph->getPropertyValue("PageDescName") >>= pageStyle) && !pageStyle.isEmpty();
}

using Properties = css::uno::Sequence<css::beans::PropertyValue>;

/** Returns the value of a property, or an empty value. */
Any valueOf(const Properties& properties, const char* name) {
  const auto* const found = std::find_if(properties.begin(), properties.end(), [&](const auto& property) {
    return property.Name.equalsAscii(name);
  });
  return found == properties.end() ? Any() : found->Value;
}

/** Returns the version of Word whose layout a document requests: 15 for Word 2013 and later. 0 if it requests none. */
sal_Int32 compatibilityMode(const Reference<css::lang::XComponent>& document) {
  Properties kept;
  Properties settings;
  Reference<XPropertySet>(document, UNO_QUERY_THROW)->getPropertyValue("InteropGrabBag") >>= kept;
  valueOf(kept, "CompatSettings") >>= settings;
  for (const css::beans::PropertyValue& setting : settings) {
    Properties parts;
    OUString text;
    setting.Value >>= parts;
    if (valueOf(parts, "name") == Any(OUString("compatibilityMode")) && (valueOf(parts, "val") >>= text))
      return text.toInt32();
  }
  return 0;
}

/** Rules of a document for the space above a paragraph. */
struct Rules {
  /** True if the spaces of two paragraphs are added. Otherwise, the larger one separates the paragraphs. */
  bool isAdded = false;
  bool isWord2013 = false;
};

Rules rulesOf(const Reference<css::lang::XComponent>& document) {
  const Reference<css::lang::XMultiServiceFactory> factory(document, UNO_QUERY_THROW);
  const Reference<XPropertySet> settings(factory->createInstance("com.sun.star.document.Settings"), UNO_QUERY_THROW);
  Rules rules;
  settings->getPropertyValue("AddParaTableSpacing") >>= rules.isAdded;
  rules.isWord2013 = compatibilityMode(document) >= 15;
  return rules;
}

/** Reports whether the paragraph itself, not its style, has the page break: it was imported from a break in the text. */
bool isDirect(const Reference<XPropertySet>& paragraph) {
  const Reference<css::beans::XPropertyState> states(paragraph, UNO_QUERY_THROW);
  return states->getPropertyState("BreakType") == css::beans::PropertyState_DIRECT_VALUE;
}

/**
 * Returns the part of a paragraph's space above that Word keeps. In 1/100 mm.
 * @param spaceBelow of the previous paragraph
 */
sal_Int32 keptSpace(const Reference<XPropertySet>& paragraph, sal_Int32 space, sal_Int32 spaceBelow,
                    const Rules& rules) {
  const sal_Int32 excess = rules.isAdded ? space : std::max(0, space - spaceBelow);
  if (beginsSection(paragraph)) return excess;
  css::style::BreakType type = css::style::BreakType_NONE;
  paragraph->getPropertyValue("BreakType") >>= type;
  if (type != css::style::BreakType_PAGE_BEFORE) return space;
  return rules.isWord2013 || isDirect(paragraph) ? 0 : excess;
}

}  // namespace

void mendBreaks(const Reference<css::lang::XComponent>& document) {
  const Rules rules = rulesOf(document);
  const Reference<css::container::XEnumerationAccess> body(
      Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText(), UNO_QUERY_THROW);
  sal_Int32 spaceBelow = 0;
  bool isFirst = true;
  for (const auto parts = body->createEnumeration(); parts->hasMoreElements(); isFirst = false) {
    const Reference<css::lang::XServiceInfo> part(parts->nextElement(), UNO_QUERY_THROW);
    if (!part->supportsService("com.sun.star.text.Paragraph")) {
      spaceBelow = 0;
      continue;
    }
    const Reference<XPropertySet> paragraph(part, UNO_QUERY_THROW);
    const sal_Int32 space = lengthOf(paragraph, "ParaTopMargin");
    const sal_Int32 kept = isFirst ? space : keptSpace(paragraph, space, spaceBelow, rules);
    if (kept != space) paragraph->setPropertyValue("ParaTopMargin", Any(kept));
    spaceBelow = lengthOf(paragraph, "ParaBottomMargin");
  }
}

}  // namespace zygote
