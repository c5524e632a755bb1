// Removes the gaps between Hangul and Latin letters or digits. LibreOffice inserts them; PowerPoint does not.
#include "corrections/slides.hpp"

#include <algorithm>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/drawing/XDrawPagesSupplier.hpp>
#include <com/sun/star/drawing/XMasterPagesSupplier.hpp>
#include <com/sun/star/table/XCellRange.hpp>
#include <com/sun/star/table/XColumnRowRange.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextCursor.hpp>

using css::beans::XPropertySet;
using css::container::XIndexAccess;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** Reports whether a text has syllables of Hangul (a block of Unicode) or their parts. */
bool hasHangul(const OUString& text) {
  return std::any_of(text.getStr(), text.getStr() + text.getLength(), [](sal_Unicode character) {
    return (character >= 0xAC00 && character <= 0xD7A3) || (character >= 0x1100 && character <= 0x11FF);
  });
}

void closeGaps(const Any& holder) {
  const Reference<css::text::XText> text(holder, UNO_QUERY);
  if (!text.is() || !hasHangul(text->getString())) return;
  const Reference<css::text::XTextCursor> whole = text->createTextCursor();
  whole->gotoStart(false);
  whole->gotoEnd(true);
  Reference<XPropertySet>(whole, UNO_QUERY_THROW)->setPropertyValue("ParaIsCharacterDistance", Any(false));
}

void closeGapsInTable(const Reference<XPropertySet>& shape) {
  if (!shape->getPropertySetInfo()->hasPropertyByName("Model")) return;
  const Any model = shape->getPropertyValue("Model");
  const Reference<css::table::XColumnRowRange> size(model, UNO_QUERY);
  const Reference<css::table::XCellRange> cells(model, UNO_QUERY);
  if (!size.is() || !cells.is()) return;
  for (sal_Int32 row = 0; row < size->getRows()->getCount(); row++)
    for (sal_Int32 column = 0; column < size->getColumns()->getCount(); column++)
      closeGaps(Any(cells->getCellByPosition(column, row)));
}

void closeGapsIn(const Reference<XIndexAccess>& shapes) {
  for (sal_Int32 index = 0; index < shapes->getCount(); index++) {
    const Any shape = shapes->getByIndex(index);
    const Reference<XIndexAccess> group(shape, UNO_QUERY);
    if (group.is()) {
      closeGapsIn(group);
      continue;
    }
    closeGaps(shape);
    closeGapsInTable(Reference<XPropertySet>(shape, UNO_QUERY_THROW));
  }
}

void closeGapsOn(const Reference<XIndexAccess>& pages) {
  for (sal_Int32 page = 0; page < pages->getCount(); page++)
    closeGapsIn(Reference<XIndexAccess>(pages->getByIndex(page), UNO_QUERY_THROW));
}

}  // namespace

void mendHangul(const Reference<css::lang::XComponent>& document) {
  const Reference<css::drawing::XDrawPagesSupplier> slides(document, UNO_QUERY_THROW);
  closeGapsOn(Reference<XIndexAccess>(slides->getDrawPages(), UNO_QUERY_THROW));
  const Reference<css::drawing::XMasterPagesSupplier> masters(document, UNO_QUERY_THROW);
  closeGapsOn(Reference<XIndexAccess>(masters->getMasterPages(), UNO_QUERY_THROW));
}

}  // namespace zygote
