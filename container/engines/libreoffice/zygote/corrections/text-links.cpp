// Sets a character style on links in texts, because LibreOffice exports only links that have a style.
#include "corrections/texts.hpp"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/container/XNameContainer.hpp>
#include <com/sun/star/drawing/XDrawPages.hpp>
#include <com/sun/star/drawing/XDrawPagesSupplier.hpp>
#include <com/sun/star/drawing/XShapes.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
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

constexpr char styleName[] = "Link without a style";
/** Name of the default style, which text without a style has. */
constexpr char noStyle[] = "Default Style";
constexpr char linkStyles[] = "UnvisitedCharStyleName";

class Links final {
 public:
  explicit Links(const Reference<css::lang::XComponent>& document)
      : factory_(document, UNO_QUERY_THROW), families_(document, UNO_QUERY_THROW) {
    mendText(Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText());
    mendEach(Reference<css::text::XFootnotesSupplier>(document, UNO_QUERY_THROW)->getFootnotes());
    mendEach(Reference<css::text::XEndnotesSupplier>(document, UNO_QUERY_THROW)->getEndnotes());
    mendEach(Reference<css::text::XTextFramesSupplier>(document, UNO_QUERY_THROW)->getTextFrames());
    mendEach(Reference<css::drawing::XDrawPagesSupplier>(document, UNO_QUERY_THROW)->getDrawPages());
    mendPageStyles();
  }

 private:
  void mendEach(const Reference<css::uno::XInterface>& list) {
    const Reference<XIndexAccess> texts(list, UNO_QUERY_THROW);
    for (sal_Int32 index = 0; index < texts->getCount(); index++) {
      const Any item = texts->getByIndex(index);
      const Reference<css::drawing::XShapes> group(item, UNO_QUERY);
      if (group.is()) mendEach(group);
      mendText(Reference<css::text::XText>(item, UNO_QUERY));
    }
  }

  void mendPageStyles() {
    const Reference<XNameAccess> styles(families_->getStyleFamilies()->getByName("PageStyles"), UNO_QUERY_THROW);
    for (const OUString& name : styles->getElementNames()) {
      const Reference<XPropertySet> style(styles->getByName(name), UNO_QUERY_THROW);
      for (const char* const part : {"HeaderText", "HeaderTextLeft", "HeaderTextFirst", "FooterText", "FooterTextLeft",
                                     "FooterTextFirst"})
        mendText(Reference<css::text::XText>(style->getPropertyValue(OUString::createFromAscii(part)), UNO_QUERY));
    }
  }

  void mendText(const Reference<css::text::XText>& text) {
    const Reference<XEnumerationAccess> content(text, UNO_QUERY);
    if (!content.is()) return;
    for (const auto parts = content->createEnumeration(); parts->hasMoreElements();) {
      const Any part = parts->nextElement();
      const Reference<css::text::XTextTable> table(part, UNO_QUERY);
      if (table.is()) mendTable(table);
      else mendParagraph(Reference<XEnumerationAccess>(part, UNO_QUERY));
    }
  }

  void mendTable(const Reference<css::text::XTextTable>& table) {
    for (const OUString& name : table->getCellNames())
      mendText(Reference<css::text::XText>(table->getCellByName(name), UNO_QUERY));
  }

  void mendParagraph(const Reference<XEnumerationAccess>& paragraph) {
    if (!paragraph.is()) return;
    for (const auto portions = paragraph->createEnumeration(); portions->hasMoreElements();) {
      const Reference<XPropertySet> portion(portions->nextElement(), UNO_QUERY_THROW);
      if (textOf(portion, "HyperLinkURL").isEmpty() || textOf(portion, linkStyles) != noStyle) continue;
      addStyle();
      portion->setPropertyValue(linkStyles, Any(OUString(styleName)));
    }
  }

  /** Returns a text property of a portion, or an empty string if portions of this kind lack the property. */
  static OUString textOf(const Reference<XPropertySet>& portion, const char* property) {
    OUString text;
    try {
      portion->getPropertyValue(OUString::createFromAscii(property)) >>= text;
    } catch (const css::beans::UnknownPropertyException&) {
    }
    return text;
  }

  /** Adds a style without formatting. */
  void addStyle() {
    const Reference<css::container::XNameContainer> styles(
        families_->getStyleFamilies()->getByName("CharacterStyles"), UNO_QUERY_THROW);
    if (styles->hasByName(styleName)) return;
    styles->insertByName(styleName, Any(factory_->createInstance("com.sun.star.style.CharacterStyle")));
  }

  Reference<css::lang::XMultiServiceFactory> factory_;
  Reference<css::style::XStyleFamiliesSupplier> families_;
};

}  // namespace

void mendLinks(const Reference<css::lang::XComponent>& document) { Links links(document); }

}  // namespace zygote
