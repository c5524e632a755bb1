#include <algorithm>
#include <utility>

#include <com/sun/star/beans/PropertyValue.hpp>
#include <com/sun/star/beans/XMultiPropertyStates.hpp>
#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/frame/XDispatchHelper.hpp>
#include <com/sun/star/frame/XDispatchProvider.hpp>
#include <com/sun/star/frame/XModel.hpp>
#include <com/sun/star/frame/XStorable.hpp>
#include <com/sun/star/lang/XMultiComponentFactory.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/style/BreakType.hpp>
#include <com/sun/star/text/ControlCharacter.hpp>
#include <com/sun/star/text/XDocumentIndexesSupplier.hpp>
#include <com/sun/star/text/XPageCursor.hpp>
#include <com/sun/star/text/XTextContent.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/text/XTextFieldsSupplier.hpp>
#include <com/sun/star/text/XTextViewCursorSupplier.hpp>
#include <com/sun/star/util/XRefreshable.hpp>

#include "options/options.hpp"

using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;

namespace zygote {
namespace {

/** Returns the comments of a text with the numbers of their pages, in the order of the pages. */
std::vector<std::pair<sal_Int16, rtl::OUString>> commentsOf(
    const Reference<css::text::XTextFieldsSupplier>& text) {
  const Reference<css::frame::XModel> model(text, UNO_QUERY_THROW);
  const Reference<css::text::XTextViewCursorSupplier> view(model->getCurrentController(), UNO_QUERY_THROW);
  const Reference<css::text::XTextViewCursor> place = view->getViewCursor();
  std::vector<std::pair<sal_Int16, rtl::OUString>> comments;
  const auto fields = text->getTextFields()->createEnumeration();
  while (fields->hasMoreElements()) {
    const Reference<css::lang::XServiceInfo> field(fields->nextElement(), UNO_QUERY_THROW);
    if (!field->supportsService("com.sun.star.text.textfield.Annotation")) continue;
    rtl::OUString author, content;
    const Reference<css::beans::XPropertySet> comment(field, UNO_QUERY_THROW);
    comment->getPropertyValue("Author") >>= author;
    comment->getPropertyValue("Content") >>= content;
    place->gotoRange(Reference<css::text::XTextContent>(field, UNO_QUERY_THROW)->getAnchor(), false);
    const sal_Int16 page = Reference<css::text::XPageCursor>(place, UNO_QUERY_THROW)->getPage();
    comments.emplace_back(page, "[" + rtl::OUString::number(page) + "] " + author + ": " + content);
  }
  const auto isBefore = [](const auto& one, const auto& other) { return one.first < other.first; };
  std::stable_sort(comments.begin(), comments.end(), isBefore);
  return comments;
}

}  // namespace

void listComments(const Reference<css::lang::XComponent>& document, const JsonObject& request) {
  const Reference<css::text::XTextFieldsSupplier> fields(document, UNO_QUERY);
  if (request.text("comments", "") != "end" || !fields.is()) return;
  // The list is no change of the document.
  Reference<css::beans::XPropertySet>(document, UNO_QUERY_THROW)->setPropertyValue("RecordChanges", Any(false));
  bool isFirst = true;
  for (const auto& [page, comment] : commentsOf(fields)) {
    const Reference<css::text::XText> text = Reference<css::text::XTextDocument>(document, UNO_QUERY_THROW)->getText();
    text->insertControlCharacter(text->getEnd(), css::text::ControlCharacter::PARAGRAPH_BREAK, false);
    const auto paragraph = text->createTextCursorByRange(text->getEnd());
    Reference<css::beans::XMultiPropertyStates>(paragraph, UNO_QUERY_THROW)->setAllPropertiesToDefault();
    const Reference<css::beans::XPropertySet> format(paragraph, UNO_QUERY_THROW);
    format->setPropertyValue("ParaStyleName", Any(rtl::OUString("Standard")));
    if (isFirst) format->setPropertyValue("BreakType", Any(css::style::BreakType_PAGE_BEFORE));
    text->insertString(text->getEnd(), comment, false);
    isFirst = false;
  }
}

void resolveChanges(const Reference<css::lang::XComponent>& document, const JsonObject& request,
                    const Reference<css::uno::XComponentContext>& context) {
  const std::string wanted = request.text("tracked_changes", "");
  const Reference<css::text::XTextFieldsSupplier> text(document, UNO_QUERY);
  if ((wanted != "accepted" && wanted != "rejected") || !text.is()) return;
  const Reference<css::frame::XDispatchHelper> helper(
      context->getServiceManager()->createInstanceWithContext("com.sun.star.frame.DispatchHelper", context),
      UNO_QUERY_THROW);
  const Reference<css::frame::XModel> model(document, UNO_QUERY_THROW);
  const Reference<css::frame::XDispatchProvider> frame(model->getCurrentController()->getFrame(), UNO_QUERY_THROW);
  // Lifts the protection of the changes, which needs no password, and that of the document.
  const Reference<css::beans::XPropertySet> settings(document, UNO_QUERY_THROW);
  settings->setPropertyValue("RedlineProtectionKey", Any(css::uno::Sequence<sal_Int8>()));
  css::beans::PropertyValue editable;
  editable.Name = "Editable";
  editable.Value <<= true;
  if (Reference<css::frame::XStorable>(document, UNO_QUERY_THROW)->isReadonly())
    helper->executeDispatch(frame, ".uno:EditDoc", "", 0, {&editable, 1});
  const char* command = wanted == "accepted" ? ".uno:AcceptAllTrackedChanges" : ".uno:RejectAllTrackedChanges";
  helper->executeDispatch(frame, rtl::OUString::createFromAscii(command), "", 0, {});
}

void refreshFields(const Reference<css::lang::XComponent>& document, const JsonObject& request) {
  const Reference<css::text::XTextFieldsSupplier> text(document, UNO_QUERY);
  if (!request.flag("refresh_fields") || !text.is()) return;
  const Reference<css::text::XDocumentIndexesSupplier> supplier(document, UNO_QUERY_THROW);
  const Reference<css::container::XIndexAccess> indexes = supplier->getDocumentIndexes();
  // The second time with the pages that follow from the length of the indexes.
  for (int time = 0; time < 2; time++) {
    Reference<css::util::XRefreshable>(text->getTextFields(), UNO_QUERY_THROW)->refresh();
    for (sal_Int32 index = 0; index < indexes->getCount(); index++)
      Reference<css::util::XRefreshable>(indexes->getByIndex(index), UNO_QUERY_THROW)->refresh();
  }
}

}  // namespace zygote
