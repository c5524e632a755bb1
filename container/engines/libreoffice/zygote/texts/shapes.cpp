// Counts the space below the last paragraph of a shape as part of its text, as Word does where it centers the text or
// moves it to the lower edge.
#include "corrections/texts.hpp"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/drawing/TextVerticalAdjust.hpp>
#include <com/sun/star/drawing/XDrawPageSupplier.hpp>
#include <com/sun/star/drawing/XShapes.hpp>
#include <com/sun/star/text/XText.hpp>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;

namespace zygote {
namespace {

/** Returns the space below the last paragraph, in 1/100 mm. 0 if the shape has no text. */
sal_Int32 spaceBelow(const Reference<css::uno::XInterface>& shape) {
  sal_Int32 space = 0;
  // A shape with a frame of text has the frame's content only in this interface.
  const Reference<css::container::XEnumerationAccess> text(Reference<css::text::XText>(shape, UNO_QUERY), UNO_QUERY);
  if (!text.is()) return 0;
  for (const auto paragraphs = text->createEnumeration(); paragraphs->hasMoreElements();) {
    const Reference<XPropertySet> paragraph(paragraphs->nextElement(), UNO_QUERY_THROW);
    space = 0;
    if (paragraph->getPropertySetInfo()->hasPropertyByName("ParaBottomMargin"))
      paragraph->getPropertyValue("ParaBottomMargin") >>= space;
  }
  return space;
}

void mendShape(const Reference<XPropertySet>& shape) {
  if (!shape->getPropertySetInfo()->hasPropertyByName("TextVerticalAdjust")) return;
  css::drawing::TextVerticalAdjust place = css::drawing::TextVerticalAdjust_TOP;
  shape->getPropertyValue("TextVerticalAdjust") >>= place;
  if (place != css::drawing::TextVerticalAdjust_CENTER && place != css::drawing::TextVerticalAdjust_BOTTOM) return;
  const sal_Int32 space = spaceBelow(shape);
  sal_Int32 inset = 0;
  shape->getPropertyValue("TextLowerDistance") >>= inset;
  if (space > 0) shape->setPropertyValue("TextLowerDistance", Any(inset + space));
}

void mendEach(const Reference<css::drawing::XShapes>& shapes) {
  for (sal_Int32 index = 0; index < shapes->getCount(); index++) {
    const Any item = shapes->getByIndex(index);
    const Reference<css::drawing::XShapes> group(item, UNO_QUERY);
    if (group.is()) mendEach(group);
    else mendShape({item, UNO_QUERY_THROW});
  }
}

}  // namespace

// This interface is deprecated, but text documents have no other one for their shapes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void mendShapes(const Reference<css::lang::XComponent>& document) {
  const Reference<css::drawing::XDrawPageSupplier> supplier(document, UNO_QUERY_THROW);
  mendEach(Reference<css::drawing::XShapes>(supplier->getDrawPage(), UNO_QUERY_THROW));
}
#pragma GCC diagnostic pop

}  // namespace zygote
