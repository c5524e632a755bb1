// Removes the space above paragraphs that follow a page break in the text, as Word does. LibreOffice does so only in
// documents of Word 2013 and later. It treats section breaks and page breaks of styles like Word.
#include "corrections/texts.hpp"

#include <com/sun/star/beans/PropertyState.hpp>
#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/beans/XPropertyState.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/style/BreakType.hpp>
#include <com/sun/star/text/XTextDocument.hpp>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

bool beginsSection(const Reference<XPropertySet>& paragraph) {
  OUString pageStyle;
  return (paragraph->getPropertyValue("PageDescName") >>= pageStyle) && !pageStyle.isEmpty();
}

/** Reports whether the paragraph itself, not its style, has a page break: it was imported from a break in the text. */
bool followsBreak(const Reference<XPropertySet>& paragraph) {
  css::style::BreakType type = css::style::BreakType_NONE;
  paragraph->getPropertyValue("BreakType") >>= type;
  const Reference<css::beans::XPropertyState> states(paragraph, UNO_QUERY_THROW);
  return type == css::style::BreakType_PAGE_BEFORE && !beginsSection(paragraph) &&
         states->getPropertyState("BreakType") == css::beans::PropertyState_DIRECT_VALUE;
}

}  // namespace

void mendBreaks(const Reference<css::lang::XComponent>& document) {
  const Reference<css::container::XEnumerationAccess> body(
      Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText(), UNO_QUERY_THROW);
  const auto parts = body->createEnumeration();
  // LibreOffice ignores a break before the first paragraph.
  for (bool isFirst = true; parts->hasMoreElements(); isFirst = false) {
    const Reference<css::lang::XServiceInfo> part(parts->nextElement(), UNO_QUERY_THROW);
    if (isFirst || !part->supportsService("com.sun.star.text.Paragraph")) continue;
    const Reference<XPropertySet> paragraph(part, UNO_QUERY_THROW);
    if (followsBreak(paragraph)) paragraph->setPropertyValue("ParaTopMargin", Any(sal_Int32(0)));
  }
}

}  // namespace zygote
