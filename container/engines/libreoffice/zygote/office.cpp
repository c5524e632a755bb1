// Loads documents in LibreOffice and exports them as PDF.
#include "office.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <new>
#include <vector>

#include <com/sun/star/beans/PropertyValue.hpp>
#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/document/MacroExecMode.hpp>
#include <com/sun/star/document/UpdateDocMode.hpp>
#include <com/sun/star/drawing/XDrawPages.hpp>
#include <com/sun/star/drawing/XDrawPagesSupplier.hpp>
#include <com/sun/star/frame/XComponentLoader.hpp>
#include <com/sun/star/frame/XModel.hpp>
#include <com/sun/star/frame/XStorable.hpp>
#include <com/sun/star/lang/IllegalArgumentException.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/task/ErrorCodeIOException.hpp>
#include <com/sun/star/uno/XComponentContext.hpp>
#include <com/sun/star/util/XCloseable.hpp>
#include <com/sun/star/util/XFlushable.hpp>
#include <osl/file.hxx>
#include <rtl/bootstrap.hxx>
#include <rtl/ustring.hxx>

#include "corrections/chunks.hpp"
#include "corrections/hidden.hpp"
#include "interaction.hpp"
#include "corrections/mending.hpp"
#include "corrections/own-address.hpp"
#include "document-fonts.hpp"
#include "options/options.hpp"
#include "pace.hpp"

using css::beans::PropertyValue;
using css::uno::Any;
using css::uno::Reference;
using css::uno::Sequence;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

constexpr char textSheetFilter[] = "Text - txt - csv (StarCalc)";

Reference<css::uno::XComponentContext> context;
Reference<css::frame::XComponentLoader> desktop;
void* mergedLibrary = nullptr;

OUString wide(const std::string& text) {
  return OUString(text.data(), static_cast<sal_Int32>(text.size()), RTL_TEXTENCODING_UTF8);
}

std::string narrow(const OUString& text) {
  return std::string(rtl::OUStringToOString(text, RTL_TEXTENCODING_UTF8).getStr());
}

OUString urlOf(const std::string& path) {
  OUString url;
  osl::FileBase::getFileURLFromSystemPath(wide(path), url);
  return url;
}

/** Returns the path under which LibreOffice opens the document. A document that prints its path prints this one. */
std::string pathOf(const Job& job) { return job.request.text("address", job.folder + "/" + job.input); }

OUString addressOf(const Job& job) { return urlOf(pathOf(job)); }

template <class Value>
PropertyValue property(const char* name, const Value& value) {
  PropertyValue result;
  result.Name = OUString::createFromAscii(name);
  result.Value <<= value;
  return result;
}

Sequence<PropertyValue> sequence(const std::vector<PropertyValue>& properties) {
  return Sequence<PropertyValue>(properties.data(), static_cast<sal_Int32>(properties.size()));
}

/** A loaded document, or the reason why it was not loaded. */
struct Loaded {
  Reference<css::lang::XComponent> document;
  /** The import filter that LibreOffice chose. */
  std::string filter;
  Outcome whyNot;
};

std::string filterOf(const Reference<css::lang::XComponent>& document) {
  OUString filter;
  const Reference<css::frame::XModel> model(document, UNO_QUERY);
  if (!model.is()) return "";
  for (const PropertyValue& argument : model->getArgs()) {
    if (argument.Name == "FilterName") argument.Value >>= filter;
  }
  return narrow(filter);
}

/** Reports whether a file cannot be text: it has NUL bytes, or is a PDF, whose importer is off. */
bool isBinary(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(4096, ' ');
  file.read(&head[0], static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.compare(0, 5, "%PDF-") == 0) return true;
  // UTF-16 contains zero bytes too, but starts with a byte order mark.
  if (head.compare(0, 2, "\xff\xfe") == 0 || head.compare(0, 2, "\xfe\xff") == 0) return false;
  return head.find('\0') != std::string::npos;
}

/**
 * Returns the export filter for the loaded document. Returns null if it is not an office document: LibreOffice opens
 * any bytes as plain text, and images and PDF files as drawings.
 */
const char* exportFilterFor(const Job& job, const Loaded& loaded) {
  const Reference<css::lang::XServiceInfo> info(loaded.document, UNO_QUERY_THROW);
  const std::string& filter = loaded.filter;
  const auto supports = [&](const char* service) { return info->supportsService(OUString::createFromAscii(service)); };
  if (supports("com.sun.star.sheet.SpreadsheetDocument")) {
    return filter == textSheetFilter && isBinary(job.folder + "/" + job.input) ? nullptr : "calc_pdf_Export";
  }
  if (supports("com.sun.star.presentation.PresentationDocument")) return "impress_pdf_Export";
  if (supports("com.sun.star.drawing.DrawingDocument")) return nullptr;
  if (supports("com.sun.star.text.WebDocument")) return "writer_web_pdf_Export";
  if (supports("com.sun.star.text.GlobalDocument")) return "writer_globaldocument_pdf_Export";
  if (supports("com.sun.star.text.TextDocument")) {
    const bool text = filter.find("Text") == 0;
    return text && isBinary(job.folder + "/" + job.input) ? nullptr : "writer_pdf_Export";
  }
  return nullptr;
}

/**
 * Reports whether all slides are hidden. LibreOffice then exports all slides, because LibreOffice does not write a PDF
 * without a page.
 */
bool hidesAllSlides(const Reference<css::lang::XComponent>& document) {
  const Reference<css::lang::XServiceInfo> info(document, UNO_QUERY_THROW);
  if (!info->supportsService("com.sun.star.presentation.PresentationDocument")) return false;
  const Reference<css::drawing::XDrawPagesSupplier> supplier(document, UNO_QUERY_THROW);
  const Reference<css::drawing::XDrawPages> slides = supplier->getDrawPages();
  for (sal_Int32 index = 0; index < slides->getCount(); index++) {
    const Reference<css::beans::XPropertySet> slide(slides->getByIndex(index), UNO_QUERY_THROW);
    bool visible = true;
    slide->getPropertyValue("Visible") >>= visible;
    if (visible) return false;
  }
  return true;
}

/** @param pages to export, such as `1,20`; all if empty */
void store(const Job& job, const Loaded& loaded, const char* filter, const std::string& output,
           const std::string& pages = "") {
  const Reference<css::lang::XComponent>& document = loaded.document;
  std::vector<PropertyValue> options = {
      property("UseLosslessCompression", job.request.flag("lossless")),
      property("Quality", sal_Int32(90)),
      property("ReduceImageResolution", false),
      property("UseTaggedPDF", job.request.flag("tagged")),
      property("ExportBookmarks", true),
      property("ExportNotes", job.request.text("comments", "") == "annotations"),
      property("ExportNotesInMargin", false),
      property("ExportHiddenSlides", hidesAllSlides(document)),
      property("IsSkipEmptyPages", !hasBlankPages(document, loaded.filter)),
  };
  if (!pages.empty()) options.push_back(property("PageRange", wide(pages)));
  const Sequence<PropertyValue> media = sequence({
      property("FilterName", OUString::createFromAscii(filter)),
      property("FilterData", sequence(options)),
  });
  const Reference<css::frame::XStorable> storable(document, UNO_QUERY_THROW);
  storable->storeToURL(urlOf(job.folder + "/" + output), media);
}

/** Estimates the export time of a long document. If the estimate fails, the document is exported anyway. */
Pace measured(const Job& job, const Loaded& loaded, const char* filter) {
  const std::string sample = "sample.pdf";
  try {
    return paceOf(loaded.document, static_cast<double>(job.cpuSeconds), [&](const std::string& pages) {
      store(job, loaded, filter, sample, pages);
      std::remove((job.folder + "/" + sample).c_str());
    });
  } catch (const css::uno::Exception&) {
    return {};
  }
}

Outcome whyNotLoaded(const Refusal& refusal, const std::string& message) {
  if (refusal.passwordAsked) return {Status::password, "asked for a password"};
  if (refusal.brokenPackage) return {Status::damaged, "asked to repair the package"};
  std::string detail = message;
  if (refusal.errorCode != 0) detail += " ErrCode " + std::to_string(refusal.errorCode);
  if (!refusal.question.isEmpty()) detail += " asked " + narrow(refusal.question);
  return {Status::damaged, "not loaded:" + (detail.empty() ? " no reason told" : " " + detail)};
}

Loaded load(const Job& job, const std::string& filter, const std::string& options) {
  Refusal* const refusal = new Refusal(wide(job.request.text("password", "")));
  const Reference<css::task::XInteractionHandler> handler(refusal);
  std::vector<PropertyValue> media = {
      property("Hidden", true),
      // Changes cannot be resolved in a document that is read only.
      property("ReadOnly", job.request.text("tracked_changes", "").empty()),
      property("MacroExecutionMode", sal_Int16(css::document::MacroExecMode::NEVER_EXECUTE)),
      property("UpdateDocMode", sal_Int16(css::document::UpdateDocMode::NO_UPDATE)),
      property("InteractionHandler", handler),
  };
  if (!filter.empty()) media.push_back(property("FilterName", wide(filter)));
  if (!options.empty()) media.push_back(property("FilterOptions", wide(options)));
  Loaded loaded;
  try {
    loaded.document = desktop->loadComponentFromURL(addressOf(job), OUString("_blank"), 0, sequence(media));
    if (loaded.document.is()) loaded.filter = filterOf(loaded.document);
    loaded.whyNot = whyNotLoaded(*refusal, "");
  } catch (const css::lang::IllegalArgumentException& e) {
    loaded.whyNot = whyNotLoaded(*refusal, narrow(e.Message));
    // loadComponentFromURL throws this exception when no filter accepts the file.
    if (!refusal->passwordAsked && !refusal->brokenPackage) loaded.whyNot.status = Status::unsupported;
  } catch (const css::uno::Exception& e) {
    loaded.whyNot = whyNotLoaded(*refusal, narrow(e.Message));
  }
  return loaded;
}

void close(const Reference<css::lang::XComponent>& document) {
  const Reference<css::util::XCloseable> closeable(document, UNO_QUERY);
  if (closeable.is()) closeable->close(true);
}

/** Loads a document with a filter chosen by content. Replaces one wrong choice of LibreOffice. */
Loaded load(const Job& job) {
  // LibreOffice's name of an import filter, and its options. If empty, the filter is detected by content.
  const std::string importFilter = job.request.text("importFilter", "");
  const Loaded first = load(job, importFilter, job.request.text("importOptions", ""));
  // HTML imported as a web page loses its first paragraph in the export.
  if (first.filter == "HTML" && importFilter.empty()) {
    close(first.document);
    return load(job, "HTML (StarWriter)", "");
  }
  return first;
}

void hideAddressIn(const Loaded& loaded, const OUString& address) {
  try {
    hideAddress(loaded.document, address, loaded.filter.find("Excel") != std::string::npos);
  } catch (const css::uno::Exception&) {
    // A failure here must not fail the conversion. Without the correction, the document shows a path that is the same
    // on every server.
  }
}

Outcome convert(const Job& job, Afterwards afterwards) {
  addFonts(job.folder + "/.fonts", mergedLibrary);
  // LibreOffice unpacks a document's fonts into this folder's user/temp and reads them there. They are deleted with the
  // job's folder.
  rtl::Bootstrap::set("UserInstallation", urlOf(job.folder));
  setLocale(job.request, context);
  const Loaded loaded = load(job);
  if (!loaded.document.is()) return loaded.whyNot;
  const char* const filter = exportFilterFor(job, loaded);
  if (filter == nullptr) return {Status::unsupported, "loaded with the filter " + loaded.filter};
  try {
    const std::string path = pathOf(job);
    const std::string folder = path.substr(0, path.rfind('/'));
    const std::string left = insertChunks(loaded.document, folder, job.request.text("chunks", ""));
    if (!left.empty()) return {Status::damaged, "not inserted: " + left};
    const auto workbook = openWorkbook(loaded.filter, context, addressOf(job));
    const SheetChoice sheets = chosenSheets(loaded.document, job.request);
    if (!sheets.unknown.empty()) return {Status::noSheet, sheets.unknown};
    resolveChanges(loaded.document, job.request, context);
    mend(loaded.document, loaded.filter, workbook.get());
    refreshFields(loaded.document, job.request);
    listComments(loaded.document, job.request);
    setUpSheets(loaded.document, job.request);
    // Must run after the calculation of formulas, because their results can contain the path.
    hideAddressIn(loaded, addressOf(job));
    keepHidden(loaded.document, workbook.get(), sheets.printed);
    const Pace pace = measured(job, loaded, filter);
    if (pace.possible < pace.pages) {
      return {Status::tooLong, std::to_string(pace.pages) + " " + std::to_string(pace.possible)};
    }
    recordFonts(context);
    store(job, loaded, filter, job.output);
  } catch (const css::task::ErrorCodeIOException& e) {
    return {Status::failed, "not stored: ErrCode " + std::to_string(e.ErrCode) + " " + narrow(e.Message)};
  } catch (const css::uno::Exception& e) {
    return {Status::failed, "not stored: " + narrow(e.Message)};
  }
  const std::string fonts = replacedFonts(context);
  if (afterwards == Afterwards::close) close(loaded.document);
  return {Status::ok, fonts};
}

template <class Function>
Function symbol(const char* name, void* library = mergedLibrary) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

std::string attachOffice(const std::string& programFolder) {
  mergedLibrary = dlopen((programFolder + "/libmergedlo.so").c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (mergedLibrary == nullptr) return "libmergedlo.so is not loaded";
  // Both functions are internal to LibreOffice. While LibreOfficeKit is active, documents have visible views, which are
  // slower and change the pages.
  const auto setActive = symbol<void (*)(bool)>("_ZN10comphelper14LibreOfficeKit9setActiveEb");
  using Context = const Reference<css::uno::XComponentContext>&;
  const auto processContext = symbol<Context (*)()>("_ZN10comphelper26getProcessComponentContextEv");
  if (setActive == nullptr || processContext == nullptr) return "this LibreOffice lacks an internal symbol";
  setActive(false);
  try {
    context = processContext();
    const auto factory = context->getServiceManager();
    desktop.set(factory->createInstanceWithContext("com.sun.star.frame.Desktop", context), UNO_QUERY_THROW);
  } catch (const css::uno::Exception& e) {
    return "no desktop: " + narrow(e.Message);
  }
  return "";
}

std::string officeVersion() {
  try {
    const Reference<css::lang::XMultiServiceFactory> provider(
        context->getServiceManager()->createInstanceWithContext("com.sun.star.configuration.ConfigurationProvider",
                                                                context),
        UNO_QUERY_THROW);
    const Any path(property("nodepath", OUString("/org.openoffice.Setup/Product")));
    const Sequence<Any> arguments(&path, 1);
    const Reference<css::container::XNameAccess> product(
        provider->createInstanceWithArguments("com.sun.star.configuration.ConfigurationAccess", arguments),
        UNO_QUERY_THROW);
    OUString version;
    product->getByName("ooSetupVersionAboutBox") >>= version;
    return narrow(version);
  } catch (const css::uno::Exception&) {
    return "unknown";
  }
}

void endIdleThreads() {
  const auto pool = symbol<void* (*)()>("_ZN10comphelper10ThreadPool20getSharedOptimalPoolEv");
  const auto joinIfIdle = symbol<bool (*)(void*)>("_ZN10comphelper10ThreadPool17joinThreadsIfIdleEv");
  if (pool != nullptr && joinIfIdle != nullptr) joinIfIdle(pool());
  // Writes the settings, and ends the thread that would write them later.
  const Reference<css::util::XFlushable> settings(
      context->getValueByName("/singletons/com.sun.star.configuration.theDefaultProvider"), UNO_QUERY);
  if (settings.is()) settings->flush();
}

void forgetDocuments() {
  void* const writer = dlopen("libswlo.so", RTLD_LAZY | RTLD_NOLOAD);
  if (writer == nullptr) return;
  const auto moduleOf = symbol<void* (*)(int)>("_ZN14SfxApplication9GetModuleE14SfxToolsModule");
  const auto clearAuthors = symbol<void (*)(void*)>("_ZN8SwModule19ClearRedlineAuthorsEv", writer);
  const auto virtualTable = symbol<void**>("_ZTV8SwModule", writer);
  if (moduleOf == nullptr || clearAuthors == nullptr || virtualTable == nullptr) return;
  // SfxToolsModule::Writer. A member function takes its object as the first argument. The check ensures that the object
  // is a SwModule: an object's pointer refers to the third entry of its class's virtual table.
  constexpr int writerModule = 3;
  void*** const module = static_cast<void***>(moduleOf(writerModule));
  if (module != nullptr && *module == virtualTable + 2) clearAuthors(module);
}

Outcome convertToPdf(const Job& job, Afterwards afterwards) {
  try {
    return convert(job, afterwards);
  } catch (const std::bad_alloc&) {
    return {Status::exhausted, "std::bad_alloc"};
  } catch (const css::uno::Exception& e) {
    return {Status::failed, narrow(e.Message)};
  } catch (const std::exception& e) {
    return {Status::failed, e.what()};
  } catch (...) {
    return {Status::failed, "an unknown exception"};
  }
}

}  // namespace zygote
