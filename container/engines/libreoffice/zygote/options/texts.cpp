#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/frame/XDispatchHelper.hpp>
#include <com/sun/star/frame/XDispatchProvider.hpp>
#include <com/sun/star/frame/XModel.hpp>
#include <com/sun/star/lang/XMultiComponentFactory.hpp>
#include <com/sun/star/text/XDocumentIndexesSupplier.hpp>
#include <com/sun/star/text/XTextFieldsSupplier.hpp>
#include <com/sun/star/util/XRefreshable.hpp>

#include "options/options.hpp"

using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;

namespace zygote {

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
