// Inserts documents of other formats into a loaded text (ISO 29500-1, 17.17.2), as Word does when it opens a document.
#include "corrections/chunks.hpp"

#include <map>
#include <sstream>

#include <com/sun/star/beans/PropertyValue.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/document/XDocumentInsertable.hpp>
#include <com/sun/star/text/XBookmarksSupplier.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextContent.hpp>
#include <osl/file.hxx>
#include <rtl/ustring.hxx>

using css::beans::PropertyValue;
using css::uno::Reference;
using css::uno::Sequence;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** LibreOffice's names of import filters, by extension. */
const std::map<std::string, const char*> filters = {
    {"docx", "MS Word 2007 XML"},
    {"html", "HTML (StarWriter)"},
    {"rtf", "Rich Text Format"},
    {"txt", "Text (encoded)"},
};

OUString wide(const std::string& text) {
  return OUString(text.data(), static_cast<sal_Int32>(text.size()), RTL_TEXTENCODING_UTF8);
}

void insert(const Reference<css::text::XTextRange>& place, const std::string& folder, const std::string& name) {
  OUString url;
  osl::FileBase::getFileURLFromSystemPath(wide(folder + "/." + name), url);
  const Reference<css::text::XTextCursor> cursor = place->getText()->createTextCursorByRange(place);
  cursor->setString("");
  const Reference<css::document::XDocumentInsertable> insertable(cursor, UNO_QUERY_THROW);
  PropertyValue media[2];
  media[0].Name = "FilterName";
  media[0].Value <<= OUString::createFromAscii(filters.at(name.substr(name.rfind('.') + 1)));
  media[1].Name = "FilterOptions";
  media[1].Value <<= OUString("UTF8");
  insertable->insertDocumentFromURL(url, Sequence<PropertyValue>(media, 2));
}

}  // namespace

std::string insertChunks(const Reference<css::lang::XComponent>& document, const std::string& folder,
                         const std::string& names) {
  std::istringstream list(names);
  for (std::string name; list >> name;) {
    try {
      const Reference<css::text::XBookmarksSupplier> supplier(document, UNO_QUERY_THROW);
      const Reference<css::text::XTextContent> bookmark(supplier->getBookmarks()->getByName(wide(name)),
                                                        UNO_QUERY_THROW);
      insert(bookmark->getAnchor(), folder, name);
    } catch (const css::uno::Exception&) {
      return name;
    }
  }
  return "";
}

}  // namespace zygote
