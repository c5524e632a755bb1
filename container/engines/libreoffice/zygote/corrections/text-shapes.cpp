// Places the text of shapes as Word does. Word counts the space below the last paragraph when it centers a text in a
// shape or puts it at the bottom. LibreOffice leaves that space out, so that the text is too low. An empty line of that
// height takes its place; if the text does not fit, only this line is cut off.
#include "corrections/texts.hpp"

#include <algorithm>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/drawing/TextVerticalAdjust.hpp>
#include <com/sun/star/drawing/XDrawPagesSupplier.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/style/LineSpacing.hpp>
#include <com/sun/star/style/LineSpacingMode.hpp>
#include <com/sun/star/text/ControlCharacter.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextCursor.hpp>
#include <com/sun/star/text/XTextRange.hpp>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** Reports whether a shape has a text of a fixed area that does not begin at the top. */
bool isLowered(const Reference<XPropertySet>& shape) {
  auto place = css::drawing::TextVerticalAdjust_TOP;
  bool hasText = false;
  bool grows = false;
  shape->getPropertyValue("TextVerticalAdjust") >>= place;
  shape->getPropertyValue("TextBox") >>= hasText;
  shape->getPropertyValue("TextAutoGrowHeight") >>= grows;
  return hasText && !grows &&
         (place == css::drawing::TextVerticalAdjust_CENTER || place == css::drawing::TextVerticalAdjust_BOTTOM);
}

/** Returns the space below the last paragraph of a text in 1/100 mm. 0 if the text is empty or ends with a table. */
sal_Int32 spaceBelow(const Reference<css::text::XText>& text) {
  sal_Int32 space = 0;
  if (text->getString().isEmpty()) return space;
  const Reference<css::container::XEnumerationAccess> parts(text, UNO_QUERY_THROW);
  for (const auto all = parts->createEnumeration(); all->hasMoreElements();) {
    const Reference<XPropertySet> part(all->nextElement(), UNO_QUERY_THROW);
    space = 0;
    if (Reference<css::lang::XServiceInfo>(part, UNO_QUERY_THROW)->supportsService("com.sun.star.text.Paragraph"))
      part->getPropertyValue("ParaBottomMargin") >>= space;
  }
  return space;
}

void appendLine(const Reference<css::text::XText>& text, sal_Int32 height) {
  text->insertControlCharacter(text->getEnd(), css::text::ControlCharacter::APPEND_PARAGRAPH, false);
  const Reference<XPropertySet> line(text->createTextCursorByRange(text->getEnd()), UNO_QUERY_THROW);
  line->setPropertyValue("NumberingStyleName", Any(OUString()));
  line->setPropertyValue("ParaTopMargin", Any(sal_Int32{0}));
  line->setPropertyValue("ParaBottomMargin", Any(sal_Int32{0}));
  line->setPropertyValue("ParaLineSpacing", Any(css::style::LineSpacing(css::style::LineSpacingMode::FIX,
                                                                        static_cast<sal_Int16>(height))));
}

/** Removes the space below the paragraph before the appended line, whose height replaces it. */
void removeSpace(const Reference<css::text::XText>& text) {
  const Reference<css::text::XTextCursor> cursor = text->createTextCursorByRange(text->getEnd());
  cursor->goLeft(1, false);
  Reference<XPropertySet>(cursor, UNO_QUERY_THROW)->setPropertyValue("ParaBottomMargin", Any(sal_Int32{0}));
}

void mendShapesIn(const Reference<css::container::XIndexAccess>& shapes) {
  for (sal_Int32 index = 0; index < shapes->getCount(); index++) {
    const Any shape = shapes->getByIndex(index);
    const Reference<css::container::XIndexAccess> group(shape, UNO_QUERY);
    if (group.is()) {
      mendShapesIn(group);
      continue;
    }
    const Reference<XPropertySet> properties(shape, UNO_QUERY_THROW);
    const Reference<css::text::XText> text(shape, UNO_QUERY);
    const bool canHaveText = properties->getPropertySetInfo()->hasPropertyByName("TextBox");
    if (!text.is() || !canHaveText || !isLowered(properties)) continue;
    const sal_Int32 space = spaceBelow(text);
    if (space <= 0) continue;
    appendLine(text, space);
    removeSpace(text);
  }
}

}  // namespace

void mendShapes(const Reference<css::lang::XComponent>& document) {
  // A text has one page of drawings.
  const Reference<css::drawing::XDrawPagesSupplier> supplier(document, UNO_QUERY_THROW);
  const Reference<css::container::XIndexAccess> pages(supplier->getDrawPages(), UNO_QUERY_THROW);
  mendShapesIn(Reference<css::container::XIndexAccess>(pages->getByIndex(0), UNO_QUERY_THROW));
}

}  // namespace zygote
