// Places endnotes below the end of the text, as Word does. LibreOffice 7.4 places the endnotes of Word documents on a
// page of their own. Later versions import such endnotes with a setting that places them below the text.
#include "corrections/texts.hpp"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/text/XEndnotesSupplier.hpp>
#include <com/sun/star/text/XTextDocument.hpp>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** Reports whether the page style changes after the first paragraph. Text sections ignore such changes. */
bool changesPageStyle(const Reference<css::text::XText>& text) {
  const auto parts = Reference<css::container::XEnumerationAccess>(text, UNO_QUERY_THROW)->createEnumeration();
  for (bool isFirst = true; parts->hasMoreElements(); isFirst = false) {
    const Reference<XPropertySet> part(parts->nextElement(), UNO_QUERY_THROW);
    OUString pageStyle;
    if ((part->getPropertyValue("PageDescName") >>= pageStyle) && !pageStyle.isEmpty() && !isFirst) return true;
  }
  return false;
}

}  // namespace

void mendEndnotes(const Reference<css::lang::XComponent>& document) {
  if (!Reference<css::text::XEndnotesSupplier>(document, UNO_QUERY_THROW)->getEndnotes()->hasElements()) return;
  const Reference<css::lang::XMultiServiceFactory> factory(document, UNO_QUERY_THROW);
  const Reference<XPropertySet> settings(factory->createInstance("com.sun.star.document.Settings"), UNO_QUERY_THROW);
  const auto text = Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText();
  if (settings->getPropertyValue("ContinuousEndnotes") == Any(true) || changesPageStyle(text)) return;
  const Reference<XPropertySet> section(factory->createInstance("com.sun.star.text.TextSection"), UNO_QUERY_THROW);
  section->setPropertyValue("EndnoteIsCollectAtTextEnd", Any(true));
  const auto all = text->createTextCursor();
  all->gotoStart(false);
  all->gotoEnd(true);
  const Reference<css::text::XTextContent> content(section, UNO_QUERY_THROW);
  text->insertTextContent(Reference<css::text::XTextRange>(all, UNO_QUERY_THROW), content, true);
}

}  // namespace zygote
