// Replaces the document's own path in Writer's fields, and in the texts of shapes, headers and footers.
#include "corrections/own-address.hpp"

#include <vector>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/drawing/XDrawPages.hpp>
#include <com/sun/star/drawing/XDrawPagesSupplier.hpp>
#include <com/sun/star/drawing/XMasterPagesSupplier.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/sheet/XHeaderFooterContent.hpp>
#include <com/sun/star/style/XStyleFamiliesSupplier.hpp>
#include <com/sun/star/text/FilenameDisplayFormat.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextField.hpp>
#include <com/sun/star/text/XTextFieldsSupplier.hpp>
#include <com/sun/star/util/XRefreshable.hpp>

#include "spreadsheets/cell-addresses.hpp"

using css::beans::XPropertySet;
using css::container::XEnumeration;
using css::container::XEnumerationAccess;
using css::container::XIndexAccess;
using css::container::XNameAccess;
using css::text::XText;
using css::text::XTextRange;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

constexpr char fileNameFormat[] = "FileFormat";

bool isFileName(const Any& field) {
  const Reference<css::lang::XServiceInfo> info(field, UNO_QUERY);
  return info.is() && info->supportsService("com.sun.star.text.TextField.FileName");
}

/** Reports whether a file name field prints the path of the file or of its folder. */
bool printsPath(const Any& field) {
  sal_Int16 format = css::text::FilenameDisplayFormat::FULL;
  const Reference<XPropertySet> properties(field, UNO_QUERY_THROW);
  properties->getPropertyValue(fileNameFormat) >>= format;
  return format == css::text::FilenameDisplayFormat::FULL || format == css::text::FilenameDisplayFormat::PATH;
}

/** Corrects the fields of a text document, which has a list of all its fields. */
void correctFields(const Reference<css::text::XTextFieldsSupplier>& document) {
  const Reference<XEnumerationAccess> fields = document->getTextFields();
  const Reference<XEnumeration> each = fields->createEnumeration();
  bool isChanged = false;
  while (each->hasMoreElements()) {
    const Any field = each->nextElement();
    if (!isFileName(field) || !printsPath(field)) continue;
    const Reference<XPropertySet> properties(field, UNO_QUERY_THROW);
    properties->setPropertyValue(fileNameFormat, Any(css::text::FilenameDisplayFormat::NAME_AND_EXT));
    isChanged = true;
  }
  const Reference<css::util::XRefreshable> refreshable(fields, UNO_QUERY);
  if (isChanged && refreshable.is()) refreshable->refresh();
}

/**
 * Replaces paths in the fields of an edit engine paragraph by the file name. Excel prints a path as two fields, folder
 * and name; in such a paragraph, the folder is removed.
 * @returns true if the paragraph was changed
 */
bool correctParagraph(const Reference<XEnumerationAccess>& paragraph, const OUString& file) {
  std::vector<Reference<XTextRange>> paths;
  bool hasName = false;
  const Reference<XEnumeration> each = paragraph->createEnumeration();
  while (each->hasMoreElements()) {
    const Reference<XTextRange> portion(each->nextElement(), UNO_QUERY_THROW);
    const Reference<XPropertySet> properties(portion, UNO_QUERY_THROW);
    OUString kind;
    properties->getPropertyValue("TextPortionType") >>= kind;
    if (kind != "TextField") continue;
    const Any field = properties->getPropertyValue("TextField");
    if (!isFileName(field)) continue;
    if (printsPath(field)) paths.push_back(portion);
    else hasName = true;
  }
  for (const Reference<XTextRange>& path : paths) {
    path->setString(hasName ? OUString() : file);
    hasName = true;
  }
  return !paths.empty();
}

/** @returns true if the text was changed */
bool correctText(const Reference<XText>& text, const OUString& file) {
  const Reference<XEnumerationAccess> paragraphs(text, UNO_QUERY);
  if (!paragraphs.is()) return false;
  bool isChanged = false;
  const Reference<XEnumeration> each = paragraphs->createEnumeration();
  while (each->hasMoreElements()) {
    const Reference<XEnumerationAccess> paragraph(each->nextElement(), UNO_QUERY);
    if (paragraph.is() && correctParagraph(paragraph, file)) isChanged = true;
  }
  return isChanged;
}

void correctSheetHeaders(const Reference<css::style::XStyleFamiliesSupplier>& document, const OUString& file) {
  const Reference<XNameAccess> styles(document->getStyleFamilies()->getByName("PageStyles"), UNO_QUERY_THROW);
  for (const OUString& name : styles->getElementNames()) {
    const Reference<XPropertySet> style(styles->getByName(name), UNO_QUERY_THROW);
    for (const char* const place : {"LeftPageHeaderContent", "LeftPageFooterContent", "RightPageHeaderContent",
                                    "RightPageFooterContent", "FirstPageHeaderContent", "FirstPageFooterContent"}) {
      const OUString property = OUString::createFromAscii(place);
      const Reference<css::sheet::XHeaderFooterContent> content(style->getPropertyValue(property), UNO_QUERY);
      if (!content.is()) continue;
      bool isChanged = false;
      for (const auto& text : {content->getLeftText(), content->getCenterText(), content->getRightText()}) {
        if (correctText(text, file)) isChanged = true;
      }
      if (isChanged) style->setPropertyValue(property, Any(content));
    }
  }
}

void correctShapes(const Reference<XIndexAccess>& shapes, const OUString& file) {
  for (sal_Int32 index = 0; index < shapes->getCount(); index++) {
    const Any shape = shapes->getByIndex(index);
    const Reference<XIndexAccess> group(shape, UNO_QUERY);
    if (group.is()) {
      correctShapes(group, file);
      continue;
    }
    const Reference<XText> text(shape, UNO_QUERY);
    if (text.is()) correctText(text, file);
  }
}

void correctSlides(const Reference<css::drawing::XDrawPages>& slides, const OUString& file) {
  for (sal_Int32 index = 0; index < slides->getCount(); index++) {
    correctShapes(Reference<XIndexAccess>(slides->getByIndex(index), UNO_QUERY_THROW), file);
  }
}

}  // namespace

void hideAddress(const Reference<css::lang::XComponent>& document, const OUString& url, bool isOfExcel) {
  const Reference<css::lang::XServiceInfo> info(document, UNO_QUERY_THROW);
  const OUString file = fileNameOf(url);
  if (info->supportsService("com.sun.star.sheet.SpreadsheetDocument")) {
    correctSheetHeaders(Reference<css::style::XStyleFamiliesSupplier>(document, UNO_QUERY_THROW), file);
    correctCells(Reference<css::sheet::XSpreadsheetDocument>(document, UNO_QUERY_THROW), url, isOfExcel);
  } else if (info->supportsService("com.sun.star.presentation.PresentationDocument")) {
    correctSlides(Reference<css::drawing::XDrawPagesSupplier>(document, UNO_QUERY_THROW)->getDrawPages(), file);
    correctSlides(Reference<css::drawing::XMasterPagesSupplier>(document, UNO_QUERY_THROW)->getMasterPages(), file);
  } else {
    const Reference<css::text::XTextFieldsSupplier> fields(document, UNO_QUERY);
    if (fields.is()) correctFields(fields);
  }
}

}  // namespace zygote
