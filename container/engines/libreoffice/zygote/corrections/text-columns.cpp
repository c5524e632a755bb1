// Moves the space above the first paragraph of columns into the first column. LibreOffice lowers all columns by it,
// but in Word, the other columns of a section that starts a page begin at the top margin. The space becomes an empty
// line of exactly its height, because LibreOffice never moves the first line of a section.
#include "corrections/texts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/beans/XPropertyState.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/style/BreakType.hpp>
#include <com/sun/star/style/LineSpacing.hpp>
#include <com/sun/star/style/LineSpacingMode.hpp>
#include <com/sun/star/text/ControlCharacter.hpp>
#include <com/sun/star/text/XTextColumns.hpp>
#include <com/sun/star/text/XTextContent.hpp>
#include <com/sun/star/text/XTextCursor.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/text/XTextRange.hpp>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** Properties that the empty line must not inherit from the paragraph below it. */
constexpr const char* shownProperties[] = {"NumberingStyleName", "OutlineLevel", "ParaBackColor", "TopBorder",
                                           "BottomBorder",       "LeftBorder",   "RightBorder",   "DropCapFormat"};

Reference<XPropertySet> sectionOf(const Reference<XPropertySet>& paragraph) {
  Reference<XPropertySet> section;
  paragraph->getPropertyValue("TextSection") >>= section;
  return section;
}

bool hasColumns(const Reference<XPropertySet>& section) {
  Reference<css::text::XTextColumns> columns;
  return section.is() && (section->getPropertyValue("TextColumns") >>= columns) && columns.is() &&
         columns->getColumnCount() > 1;
}

bool beginsPage(const Reference<XPropertySet>& paragraph) {
  OUString pageStyle;
  css::style::BreakType type = css::style::BreakType_NONE;
  paragraph->getPropertyValue("PageDescName") >>= pageStyle;
  paragraph->getPropertyValue("BreakType") >>= type;
  return !pageStyle.isEmpty() || type == css::style::BreakType_PAGE_BEFORE;
}

/** A paragraph below an empty line, and the height of that line in 1/100 mm. */
using Lowered = std::pair<Reference<XPropertySet>, sal_Int32>;

/** Returns the paragraphs with space above that begin the columns of a page. */
std::vector<Lowered> loweredIn(const Reference<css::text::XText>& body) {
  std::vector<Lowered> lowered;
  Reference<XPropertySet> previous;
  const Reference<css::container::XEnumerationAccess> parts(body, UNO_QUERY_THROW);
  for (const auto all = parts->createEnumeration(); all->hasMoreElements();) {
    const Reference<XPropertySet> part(all->nextElement(), UNO_QUERY_THROW);
    const Reference<XPropertySet> section = sectionOf(part);
    const bool isParagraph = Reference<css::lang::XServiceInfo>(part, UNO_QUERY_THROW)
                                 ->supportsService("com.sun.star.text.Paragraph");
    sal_Int32 space = 0;
    if (isParagraph && hasColumns(section) && (!previous.is() || (sectionOf(previous) != section && beginsPage(part))))
      part->getPropertyValue("ParaTopMargin") >>= space;
    if (space > 0) lowered.emplace_back(part, space);
    previous = part;
  }
  return lowered;
}

void insertLine(const Reference<css::text::XText>& body, const Lowered& lowered) {
  const auto& [paragraph, height] = lowered;
  const auto start = Reference<css::text::XTextContent>(paragraph, UNO_QUERY_THROW)->getAnchor()->getStart();
  const Reference<css::text::XTextCursor> cursor = body->createTextCursorByRange(start);
  body->insertControlCharacter(cursor->getStart(), css::text::ControlCharacter::PARAGRAPH_BREAK, false);
  const Reference<XPropertySet> below(cursor, UNO_QUERY_THROW);
  below->setPropertyValue("ParaTopMargin", Any(sal_Int32{0}));
  cursor->goLeft(1, false);
  const Reference<XPropertySet> line(cursor, UNO_QUERY_THROW);
  const Reference<css::beans::XPropertyState> states(cursor, UNO_QUERY_THROW);
  line->setPropertyValue("ParaStyleName", Any(OUString("Standard")));
  for (const char* const name : shownProperties) states->setPropertyToDefault(OUString::createFromAscii(name));
  line->setPropertyValue("ParaTopMargin", Any(sal_Int32{0}));
  line->setPropertyValue("ParaBottomMargin", Any(sal_Int32{0}));
  line->setPropertyValue("ParaLineSpacing", Any(css::style::LineSpacing(css::style::LineSpacingMode::FIX,
                                                                        static_cast<sal_Int16>(height))));
}

}  // namespace

void mendColumns(const Reference<css::lang::XComponent>& document) {
  const auto body = Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText();
  for (const Lowered& lowered : loweredIn(body)) insertLine(body, lowered);
}

}  // namespace zygote
