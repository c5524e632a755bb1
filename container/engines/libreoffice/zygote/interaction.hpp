// Answers no to every question that LibreOffice would ask a user, except the first one for a password that the client
// sent. Records the question.
#pragma once

#include <cppuhelper/implbase1.hxx>

#include <com/sun/star/document/BrokenPackageRequest.hpp>
#include <com/sun/star/task/ErrorCodeRequest.hpp>
#include <com/sun/star/task/PasswordRequest.hpp>
#include <com/sun/star/task/XInteractionAbort.hpp>
#include <com/sun/star/task/XInteractionDisapprove.hpp>
#include <com/sun/star/task/XInteractionHandler.hpp>
#include <com/sun/star/task/XInteractionPassword.hpp>
#include <com/sun/star/task/XInteractionRequest.hpp>

namespace css = com::sun::star;

namespace zygote {

class Refusal final : public cppu::WeakImplHelper1<css::task::XInteractionHandler> {
 public:
  /** @param password empty if the client sent none */
  explicit Refusal(const rtl::OUString& password) : password_(password) {}

  /** True if LibreOffice asked for a password that it did not get, or for another one. */
  bool passwordAsked = false;
  bool brokenPackage = false;
  /** LibreOffice's ErrCode, or 0 if it reported none. */
  sal_Int32 errorCode = 0;
  /** UNO type of the last question that is none of these. */
  rtl::OUString question;

  void SAL_CALL handle(const css::uno::Reference<css::task::XInteractionRequest>& request) override {
    if (isPassword(request->getRequest()) && !password_.isEmpty() && give(request)) return;
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
  /** All password questions are derived from one type. */
  static bool isPassword(const css::uno::Any& asked) {
    return asked.isExtractableTo(cppu::UnoType<css::task::PasswordRequest>::get());
  }

  /** Gives the password once. @returns false if the question does not take it */
  bool give(const css::uno::Reference<css::task::XInteractionRequest>& request) {
    for (const auto& continuation : request->getContinuations()) {
      const css::uno::Reference<css::task::XInteractionPassword> password(continuation, css::uno::UNO_QUERY);
      if (!password.is()) continue;
      password->setPassword(password_);
      password->select();
      password_.clear();
      return true;
    }
    return false;
  }

  void note(const css::uno::Any& asked) {
    css::task::ErrorCodeRequest error;
    if (isPassword(asked)) {
      passwordAsked = true;
    } else if (asked.isExtractableTo(cppu::UnoType<css::document::BrokenPackageRequest>::get())) {
      brokenPackage = true;
    } else if (asked >>= error) {
      errorCode = error.ErrCode;
    } else {
      question = asked.getValueTypeName();
    }
  }

  rtl::OUString password_;
};

}  // namespace zygote
