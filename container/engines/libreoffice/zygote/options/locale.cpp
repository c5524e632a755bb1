#include <dlfcn.h>

#include <cstddef>

#include <com/sun/star/beans/PropertyValue.hpp>
#include <com/sun/star/container/XNameReplace.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/uno/RuntimeException.hpp>
#include <com/sun/star/util/XChangesBatch.hpp>

#include "options/options.hpp"

using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** Sets the language of dates and numbers. Through the configuration alone, LibreOffice would keep loaded data. */
void setLocaleOfSystem(const OUString& locale) {
  void* const library = dlopen("libmergedlo.so", RTLD_LAZY | RTLD_NOLOAD);
  const auto symbol = [&](const char* name) { return library == nullptr ? nullptr : dlsym(library, name); };
  const auto construct = reinterpret_cast<void (*)(void*)>(symbol("_ZN19SvtSysLocaleOptionsC1Ev"));
  const auto set = reinterpret_cast<void (*)(void*, const OUString&)>(
      symbol("_ZN19SvtSysLocaleOptions21SetLocaleConfigStringERKN3rtl8OUStringE"));
  const auto commit = reinterpret_cast<bool (*)(void*)>(symbol("_ZN19SvtSysLocaleOptions6CommitEv"));
  if (construct == nullptr || set == nullptr || commit == nullptr)
    throw css::uno::RuntimeException("this LibreOffice lacks an internal symbol");
  // Several times the size of LibreOffice's object. It lives as long as the process.
  alignas(std::max_align_t) static char options[1024];
  construct(options);
  set(options, locale);
  commit(options);
}

}  // namespace

void setLocale(const JsonObject& request, const Reference<css::uno::XComponentContext>& context) {
  const OUString locale = OUString::createFromAscii(request.text("locale", "").c_str());
  if (locale.isEmpty()) return;
  setLocaleOfSystem(locale);
  const Reference<css::lang::XMultiServiceFactory> provider(
      context->getValueByName("/singletons/com.sun.star.configuration.theDefaultProvider"), UNO_QUERY_THROW);
  css::beans::PropertyValue node;
  node.Name = "nodepath";
  node.Value <<= OUString("/org.openoffice.Office.Linguistic/General");
  const Any argument(node);
  const Reference<css::container::XNameReplace> settings(
      provider->createInstanceWithArguments("com.sun.star.configuration.ConfigurationUpdateAccess", {&argument, 1}),
      UNO_QUERY_THROW);
  settings->replaceByName("DefaultLocale", Any(locale));
  Reference<css::util::XChangesBatch>(settings, UNO_QUERY_THROW)->commitChanges();
}

}  // namespace zygote
