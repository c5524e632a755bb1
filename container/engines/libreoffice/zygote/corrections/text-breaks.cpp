// Reduces the space above paragraphs that follow a page break, which LibreOffice keeps. Word drops the space after a
// page break within a paragraph. After a section break, Word leaves only what exceeds the space below the previous
// paragraph, as between two paragraphs of a page.
#include "corrections/texts.hpp"

#include <algorithm>

#include <com/sun/star/beans/PropertyState.hpp>
#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/beans/XPropertyState.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/style/BreakType.hpp>
#include <com/sun/star/text/XTextDocument.hpp>

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

/** Reports whether a page break in the text precedes a paragraph. Ignores breaks that a style demands. */
bool followsPageBreak(const Reference<XPropertySet>& paragraph) {
  css::style::BreakType type = css::style::BreakType_NONE;
  paragraph->getPropertyValue("BreakType") >>= type;
  if (type != css::style::BreakType_PAGE_BEFORE) return false;
  const Reference<css::beans::XPropertyState> states(paragraph, UNO_QUERY_THROW);
  return states->getPropertyState("BreakType") == css::beans::PropertyState_DIRECT_VALUE;
}

/** Reports whether the spaces of two paragraphs are added. Otherwise, the larger one separates the paragraphs. */
bool addsSpaces(const Reference<css::lang::XComponent>& document) {
  const Reference<css::lang::XMultiServiceFactory> factory(document, UNO_QUERY_THROW);
  const Reference<XPropertySet> settings(factory->createInstance("com.sun.star.document.Settings"), UNO_QUERY_THROW);
  bool adds = false;
  settings->getPropertyValue("AddParaTableSpacing") >>= adds;
  return adds;
}

/** Returns the part of a paragraph's space above that Word keeps. In 1/100 mm. */
sal_Int32 keptSpace(const Reference<XPropertySet>& paragraph, const Reference<XPropertySet>& previous, bool isAdded) {
  const sal_Int32 space = lengthOf(paragraph, "ParaTopMargin");
  if (beginsSection(paragraph)) return isAdded ? space : std::max(0, space - lengthOf(previous, "ParaBottomMargin"));
  return followsPageBreak(paragraph) ? 0 : space;
}

}  // namespace

void mendBreaks(const Reference<css::lang::XComponent>& document) {
  const bool isAdded = addsSpaces(document);
  const Reference<css::container::XEnumerationAccess> body(
      Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText(), UNO_QUERY_THROW);
  Reference<XPropertySet> previous;
  for (const auto parts = body->createEnumeration(); parts->hasMoreElements();) {
    const Reference<css::lang::XServiceInfo> part(parts->nextElement(), UNO_QUERY_THROW);
    Reference<XPropertySet> paragraph;
    if (part->supportsService("com.sun.star.text.Paragraph")) paragraph.set(part, UNO_QUERY_THROW);
    if (paragraph.is() && previous.is()) {
      const sal_Int32 kept = keptSpace(paragraph, previous, isAdded);
      if (kept != lengthOf(paragraph, "ParaTopMargin")) paragraph->setPropertyValue("ParaTopMargin", Any(kept));
    }
    previous = paragraph;
  }
}

}  // namespace zygote
