#include "texts/paragraphs.hpp"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/drawing/XDrawPages.hpp>
#include <com/sun/star/drawing/XDrawPagesSupplier.hpp>
#include <com/sun/star/drawing/XShapes.hpp>
#include <com/sun/star/style/XStyleFamiliesSupplier.hpp>
#include <com/sun/star/text/XEndnotesSupplier.hpp>
#include <com/sun/star/text/XFootnotesSupplier.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/text/XTextFramesSupplier.hpp>
#include <com/sun/star/text/XTextTable.hpp>

using css::beans::XPropertySet;
using css::container::XEnumerationAccess;
using css::container::XIndexAccess;
using css::container::XNameAccess;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

class Visit final {
 public:
  Visit(const Reference<css::lang::XComponent>& document, const std::function<void(const Paragraph&)>& visit)
      : visit_(visit) {
    visitText(Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText());
    visitEach(Reference<css::text::XFootnotesSupplier>(document, UNO_QUERY_THROW)->getFootnotes());
    visitEach(Reference<css::text::XEndnotesSupplier>(document, UNO_QUERY_THROW)->getEndnotes());
    visitEach(Reference<css::text::XTextFramesSupplier>(document, UNO_QUERY_THROW)->getTextFrames());
    visitEach(Reference<css::drawing::XDrawPagesSupplier>(document, UNO_QUERY_THROW)->getDrawPages());
    const Reference<css::style::XStyleFamiliesSupplier> families(document, UNO_QUERY_THROW);
    visitPageStyles({families->getStyleFamilies()->getByName("PageStyles"), UNO_QUERY_THROW});
  }

 private:
  void visitEach(const Reference<css::uno::XInterface>& list) {
    const Reference<XIndexAccess> texts(list, UNO_QUERY_THROW);
    for (sal_Int32 index = 0; index < texts->getCount(); index++) {
      const Any item = texts->getByIndex(index);
      const Reference<css::drawing::XShapes> group(item, UNO_QUERY);
      if (group.is()) visitEach(group);
      visitText(Reference<css::text::XText>(item, UNO_QUERY));
    }
  }

  void visitPageStyles(const Reference<XNameAccess>& styles) {
    for (const OUString& name : styles->getElementNames()) {
      const Reference<XPropertySet> style(styles->getByName(name), UNO_QUERY_THROW);
      for (const char* const part : {"HeaderText", "HeaderTextLeft", "HeaderTextFirst", "FooterText", "FooterTextLeft",
                                     "FooterTextFirst"})
        visitText(Reference<css::text::XText>(style->getPropertyValue(OUString::createFromAscii(part)), UNO_QUERY));
    }
  }

  void visitText(const Reference<css::text::XText>& text) {
    const Reference<XEnumerationAccess> content(text, UNO_QUERY);
    if (!content.is()) return;
    for (const auto parts = content->createEnumeration(); parts->hasMoreElements();) {
      const Any part = parts->nextElement();
      const Reference<css::text::XTextTable> table(part, UNO_QUERY);
      const Paragraph paragraph(part, UNO_QUERY);
      if (table.is()) visitTable(table);
      else if (paragraph.is()) visit_(paragraph);
    }
  }

  void visitTable(const Reference<css::text::XTextTable>& table) {
    for (const OUString& name : table->getCellNames())
      visitText(Reference<css::text::XText>(table->getCellByName(name), UNO_QUERY));
  }

  const std::function<void(const Paragraph&)>& visit_;
};

}  // namespace

void visitParagraphs(const Reference<css::lang::XComponent>& document,
                     const std::function<void(const Paragraph&)>& visit) {
  Visit(document, visit);
}

}  // namespace zygote
