// Answers no to every question that LibreOffice would ask a user, and records the question.
#pragma once

#include <cppuhelper/implbase1.hxx>

#include <com/sun/star/document/BrokenPackageRequest.hpp>
#include <com/sun/star/task/ErrorCodeRequest.hpp>
#include <com/sun/star/task/PasswordRequest.hpp>
#include <com/sun/star/task/XInteractionAbort.hpp>
#include <com/sun/star/task/XInteractionDisapprove.hpp>
#include <com/sun/star/task/XInteractionHandler.hpp>
#include <com/sun/star/task/XInteractionRequest.hpp>

namespace css = com::sun::star;

namespace zygote {

class Refusal final : public cppu::WeakImplHelper1<css::task::XInteractionHandler> {
 public:
  bool passwordAsked = false;
  bool brokenPackage = false;
  /** LibreOffice's ErrCode, or 0 if it reported none. */
  sal_Int32 errorCode = 0;
  /** UNO type of the last question that is none of these. */
  rtl::OUString question;

  void SAL_CALL handle(const css::uno::Reference<css::task::XInteractionRequest>& request) override {
    note(request->getRequest());
    css::uno::Reference<css::task::XInteractionDisapprove> disapprove;
    for (const auto& continuation : request->getContinuations()) {
      const css::uno::Reference<css::task::XInteractionAbort> abort(continuation, css::uno::UNO_QUERY);
      if (abort.is()) {
        abort->select();
        return;
      }
      if (!disapprove.is()) disapprove.set(continuation, css::uno::UNO_QUERY);
    }
    if (disapprove.is()) disapprove->select();
  }

 private:
  void note(const css::uno::Any& asked) {
    css::task::ErrorCodeRequest error;
    // All password questions are derived from this type.
    if (asked.isExtractableTo(cppu::UnoType<css::task::PasswordRequest>::get())) {
      passwordAsked = true;
    } else if (asked.isExtractableTo(cppu::UnoType<css::document::BrokenPackageRequest>::get())) {
      brokenPackage = true;
    } else if (asked >>= error) {
      errorCode = error.ErrCode;
    } else {
      question = asked.getValueTypeName();
    }
  }
};

}  // namespace zygote
